import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { readAhead } from '../../../../server/processing/read-ahead.ts'
import type { ByteSource } from '../../../../shared/formats/bounded-reader.ts'
import { findEnd, inspect } from '../../../../shared/formats/inspect.ts'
import { limitsByClockReads, sourceOf, storedFile } from '../../../support/formats/recorded-files.ts'

const bag = storedFile('bag_0.db3')
const cameras = storedFile('cameras_0.db3')
const metadata = storedFile('metadata.yaml')

/** A file as the service sees it: without the files beside it. */
const alone = (name: string, bytes: Buffer): ByteSource => {
  const { openBeside: _, ...source } = sourceOf({ name, bytes })
  return source
}
/** A file as the station sees it: with the files beside it. */
const inFolder = (
  name: string,
  bytes: Buffer,
  beside: Readonly<Record<string, Buffer>> = {},
): ByteSource => ({
  ...alone(name, bytes),
  openBeside: async (other) => {
    const content = beside[other]
    return content === undefined ? null : alone(other, content)
  },
})
const inspectSource = (source: ByteSource, reads?: number) => inspect(source, limitsByClockReads(reads))
const endOf = async (source: ByteSource) => (await findEnd(source, limitsByClockReads())).end
const pageBytesOf = (bytes: Buffer) => bytes.readUInt16BE(16)
const zeroPages = (bytes: Buffer, isZeroed: (page: number) => boolean): Buffer => {
  const zeroed = Buffer.from(bytes)
  const pageBytes = pageBytesOf(bytes)
  for (let page = 1; page < bytes.length / pageBytes; page += 1)
    if (isZeroed(page)) zeroed.fill(0, page * pageBytes, (page + 1) * pageBytes)
  return zeroed
}

const bagOfLargeMessages = (messages: number, bytes: number): Buffer => {
  const db = new Database(':memory:')
  db.exec('CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL)')
  db.exec(
    'CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER NOT NULL, timestamp INTEGER NOT NULL, data BLOB)',
  )
  db.prepare('INSERT INTO topics VALUES (1, ?, ?)').run('/camera', 'sensor_msgs/msg/Image')
  const insert = db.prepare('INSERT INTO messages (topic_id, timestamp, data) VALUES (1, ?, ?)')
  for (let index = 0; index < messages; index += 1)
    insert.run(1_700_000_000_000_000_000n + BigInt(index * 1e8), Buffer.alloc(bytes, 1))
  const content = db.serialize()
  db.close()
  return content
}

describe('a rosbag2 database', () => {
  test('gives station and service the same channels', async () => {
    const station = await inspectSource(inFolder(bag.name, bag.bytes, { 'metadata.yaml': metadata.bytes }))
    expect(await inspectSource(alone(bag.name, bag.bytes))).toEqual(station)
    expect(station).toMatchObject({
      completeness: 'complete',
      startedAtMs: 1_700_000_000_000,
      endedAtMs: 1_700_000_009_900,
      durationS: 9.9,
      channels: [{ name: '/imu', type: 'sensor_msgs/msg/Imu', messages: 100, rateHz: 10, largestGapS: 0.1 }],
      warnings: [],
    })
    expect(station.channels[0]!.timeline!.reduce((sum, count) => sum + count, 0)).toBe(100)
  })

  test('shows a gap, and a topic without messages', async () => {
    const { completeness, channels } = await inspectSource(alone(cameras.name, cameras.bytes))
    expect(completeness).toBe('complete')
    expect(channels.map(({ timeline: _, ...channel }) => channel)).toEqual([
      {
        name: '/camera/wrist',
        type: 'sensor_msgs/msg/CompressedImage',
        messages: 14,
        rateHz: 6.842105,
        largestGapS: 0.7,
      },
      {
        name: '/imu',
        type: 'sensor_msgs/msg/Imu',
        messages: 200,
        rateHz: expect.closeTo(100, 3),
        largestGapS: 0.01,
      },
      { name: '/joy', type: 'sensor_msgs/msg/Joy', messages: 0, rateHz: null, largestGapS: null },
    ])
  })

  test('with zeroed pages is damaged', async () => {
    const bytes = zeroPages(bag.bytes, (page) => page % 3 !== 0)
    const source = inFolder(bag.name, bytes, { 'metadata.yaml': metadata.bytes })
    expect(await inspectSource(source)).toMatchObject({
      completeness: 'unknown',
      warnings: [{ code: 'damaged' }],
    })
  })

  test('with one zeroed page is complete only if Sluice still counts every message', async () => {
    const pageBytes = pageBytesOf(cameras.bytes)
    let damagedCount = 0
    for (let page = 1; page < cameras.bytes.length / pageBytes; page += 1) {
      const bytes = zeroPages(cameras.bytes, (each) => each === page)
      const { completeness, channels } = await inspectSource(alone(cameras.name, bytes))
      if (completeness !== 'complete') damagedCount += 1
      else
        expect(
          channels.map(({ messages }) => messages),
          `page ${page}`,
        ).toEqual([14, 200, 0])
    }
    // Zeros in an index or in a long message do not change the counts.
    expect(damagedCount).toBeGreaterThan(20)
  })

  test('without its last pages is cut off, and shows the rest of its content', async () => {
    const bytes = cameras.bytes.subarray(0, cameras.bytes.length - 20 * pageBytesOf(cameras.bytes))
    const { completeness, channels, warnings } = await inspectSource(alone(cameras.name, bytes))
    expect([completeness, warnings]).toEqual(['cut-off', []])
    expect(channels[1]!.messages).toBeGreaterThan(50)
    expect(channels[1]!.messages).toBeLessThan(200)
  })

  test('that disagrees with its metadata causes a warning', async () => {
    const text = metadata.bytes.toString().replaceAll('message_count: 100', 'message_count: 120')
    const source = inFolder(bag.name, bag.bytes, { 'metadata.yaml': Buffer.from(text) })
    expect(await inspectSource(source)).toMatchObject({
      completeness: 'complete',
      channels: [{ messages: 100 }],
      warnings: [
        { code: 'metadata-differs', detail: 'metadata.yaml lists 120 messages. The file holds 100.' },
      ],
    })
  })

  test('that takes too long to inspect keeps its findings, reports the timeout and is not complete', async () => {
    const inspection = await inspectSource(alone(cameras.name, cameras.bytes), 30)
    expect(inspection).toMatchObject({ completeness: 'unknown', warnings: [{ code: 'took-too-long' }] })
    expect([inspection.durationS, inspection.endedAtMs]).toEqual([null, null])
    expect(inspection.channels[1]!.messages).toBeGreaterThan(0)
    expect(inspection.channels[2]!.messages).toBeNull()
  })

  test('with the pictures of a camera is read from S3 in few requests', async () => {
    const source = sourceOf({ name: 'camera_0.db3', bytes: bagOfLargeMessages(500, 35_000) })
    const read = readAhead(source.read, source.size)
    const { channels, durationS } = await inspectSource({ ...source, read })
    expect([channels[0]!.messages, durationS]).toEqual([500, 49.9])
    expect(source.counts.reads).toBeLessThan(50)
  })

  test('is inspected without the content of large messages', async () => {
    const megabyte = 1 << 20
    const source = sourceOf({ name: 'large_0.db3', bytes: bagOfLargeMessages(20, megabyte) })
    expect((await inspectSource(source)).channels).toMatchObject([{ messages: 20 }])
    expect(source.counts.bytes).toBeLessThan(megabyte / 4)
  })
})

describe('a rosbag2 database whose metadata', () => {
  const listed = metadata.bytes
    .toString()
    .replaceAll(bag.name, cameras.name)
    .replaceAll('message_count: 100', 'message_count: 214')
  const withMetadata = (text: string) =>
    inFolder(cameras.name, cameras.bytes, { 'metadata.yaml': Buffer.from(text) })

  const withItem = (item: string) => listed.replace(/(?<=file_paths:\n +)- .*/, item)

  test.each([
    ['exceeds a megabyte', `${listed}${'# QoS\n'.repeat(400_000)}`],
    ['lacks its duration', listed.replaceAll('duration:', 'length:')],
  ])('%s but lists the file is complete', async (_, text) => {
    expect(await endOf(withMetadata(text))).toBe('marked')
    const { completeness, warnings } = await inspectSource(withMetadata(text))
    expect([completeness, warnings]).toEqual(['complete', []])
  })

  test('lists the file with a quoted apostrophe is complete', async () => {
    const name = "#1 it's_0.db3"
    const text = withItem("- '#1 it''s_0.db3'")
    const source = inFolder(name, cameras.bytes, { 'metadata.yaml': Buffer.from(text) })
    expect(await endOf(source)).toBe('marked')
    expect((await inspectSource(source)).completeness).toBe('complete')
  })

  test.each([
    ['is empty', ''],
    ['holds only zeros', '\0'.repeat(4_096)],
    [
      'lists too many other files',
      listed.replace(/(?<=file_paths:\n +- ).*/, 'other.db3\n    - '.repeat(500_000)),
    ],
    ['escapes letters', withItem('- "c\\x61meras_0.db3"')],
    ['folds a long name', withItem('- "cameras\\\n      _0.db3"')],
    ['folds a name with spaces', withItem('- other\n      name_0.db3')],
    ['ends inside its first name', withItem('- cam').replace(/(?<=- cam).*/s, '')],
  ])('%s may be complete or cut off', async (_, text) => {
    expect(await endOf(withMetadata(text))).toBe('unmarked')
    const inspection = await inspectSource(withMetadata(text))
    expect(inspection).toMatchObject({ completeness: 'unknown', warnings: [] })
    expect(inspection.channels.map(({ messages }) => messages)).toEqual([14, 200, 0])
  })
})

test('metadata that is too large to inspect is not reported as damaged', async () => {
  const bytes = Buffer.from(`${metadata.bytes}${'# QoS\n'.repeat(400_000)}`)
  const { warnings } = await inspectSource(alone('metadata.yaml', bytes))
  expect(warnings.map(({ code }) => code)).toEqual(['chunk-too-large'])
})

describe('a rosbag2 database whose recorder has crashed', () => {
  test('is cut off if no metadata lists it, and still shows its content', async () => {
    for (const beside of [{}, { 'metadata.yaml': metadata.bytes }]) {
      const source = inFolder(cameras.name, cameras.bytes, beside)
      expect(await endOf(source)).toBe('cut-off')
      const inspection = await inspectSource(source)
      expect(inspection).toMatchObject({ completeness: 'cut-off', warnings: [] })
      expect(inspection.channels.map(({ messages }) => messages)).toEqual([14, 200, 0])
    }
  })

  test('is not cut off if the recorder has begun the next file', async () => {
    const source = inFolder(cameras.name, cameras.bytes, { 'cameras_1.db3': Buffer.alloc(0) })
    expect(await endOf(source)).toBe('unmarked')
    expect((await inspectSource(source)).completeness).toBe('complete')
  })
})

test('a database that is not a bag has no end mark', async () => {
  const bytes = Buffer.from(bag.bytes)
  bytes.write('t0pics', bytes.indexOf('topics'))
  bytes.write('t0pics', bytes.indexOf('CREATE TABLE topics') + 'CREATE TABLE '.length)
  const source = inFolder('notes.db3', bytes)
  expect(await endOf(source)).toBe('unmarked')
  expect(await inspectSource(source)).toMatchObject({ completeness: 'unknown', channels: [], warnings: [] })
})

test('the inspection of a bag with very many topics lists only some of them', async () => {
  const db = new Database(':memory:')
  db.exec('CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL)')
  db.exec(
    'CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER NOT NULL, timestamp INTEGER NOT NULL, data BLOB)',
  )
  const insert = db.prepare('INSERT INTO topics VALUES (?, ?, ?)')
  for (let id = 1; id <= 1_500; id += 1) insert.run(id, `/topic/${id}`, 'std_msgs/msg/String')
  const content = db.serialize()
  db.close()
  const { channels, warnings } = await inspectSource(alone('many_0.db3', content))
  expect(channels).toHaveLength(1_000)
  expect(channels.every(({ messages }) => messages === 0)).toBe(true)
  expect(warnings.map(({ code }) => code)).toContain('too-many-channels')
})

describe('a forged database', () => {
  const rootOfMessages = 5
  const forge = (
    change: (page: Buffer) => void,
  ): Promise<{ readonly warnings: readonly { detail: string }[] }> => {
    const bytes = Buffer.from(bag.bytes)
    const pageBytes = pageBytesOf(bytes)
    change(bytes.subarray((rootOfMessages - 1) * pageBytes, rootOfMessages * pageBytes))
    return inspectSource(alone(bag.name, bytes))
  }
  const childAt = (page: Buffer, index: number) => page.readUInt16BE(12 + 2 * index)

  test('whose page is its own child ends the inspection', async () => {
    const { warnings } = await forge((page) => page.writeUInt32BE(rootOfMessages, childAt(page, 0)))
    expect(warnings.map(({ detail }) => detail)).toEqual(['The database is nested too deeply.'])
  })

  test('that lists a page twice ends the inspection', async () => {
    const { warnings } = await forge((page) =>
      page.writeUInt32BE(page.readUInt32BE(childAt(page, 0)), childAt(page, 1)),
    )
    expect(warnings.map(({ detail }) => detail)).toEqual(['The rows of the database are not in order.'])
  })

  test('that refers to a page outside the file ends the inspection', async () => {
    const { warnings } = await forge((page) => page.writeUInt32BE(0xffffffff, 8))
    expect(warnings.map(({ detail }) => detail)).toEqual(['The database refers to an invalid page.'])
  })
})
