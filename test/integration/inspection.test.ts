import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createInspectionThread } from '../../main/agent/platform/inspection/inspection-thread.ts'
import type { Receipt } from '../../shared/status/receipt.ts'
import { mcapFile } from '../contract/sample-files.ts'
import { waitForJournal } from '../support/journal-file.ts'
import { linux, needs } from '../support/needs.ts'
import { Station } from '../support/station.ts'
import { sluice } from '../support/typed-command.ts'
import { identityAt, never, temporaryFolder } from './platform-support.ts'

const sampleFile = (name: string) => new URL(`../unit/shared/formats/files/${name}`, import.meta.url)

describe('the inspection thread', () => {
  const startThread = (options: Parameters<typeof createInspectionThread>[0] = {}) => {
    const thread = createInspectionThread(options)
    onTestFinished(() => thread.close())
    return thread
  }
  const copySample = (name: string): string => {
    const file = path.join(temporaryFolder(), name)
    copyFileSync(sampleFile(name), file)
    return file
  }

  test('inspects files one after the other', async () => {
    const thread = startThread()
    for (const [name, format] of [
      ['camera.mp4', 'mp4'],
      ['run.bag', 'rosbag1'],
    ] as const) {
      const file = copySample(name)
      const outcome = await thread.inspect({ path: file, identity: await identityAt(file), signal: never })
      expect(outcome).toMatchObject({ ok: true, value: { format, completeness: 'complete' } })
    }
  })

  test('reads the metadata beside a bag', async () => {
    const file = copySample('bag_0.db3')
    copyFileSync(sampleFile('metadata.yaml'), path.join(path.dirname(file), 'metadata.yaml'))
    const outcome = await startThread().inspect({
      path: file,
      identity: await identityAt(file),
      signal: never,
    })
    expect(outcome).toMatchObject({ ok: true, value: { channels: [{ name: '/imu', messages: 100 }] } })
  })

  test('refuses a file outside its folder', async () => {
    const file = copySample('camera.mp4')
    const thread = startThread({ rootOf: () => temporaryFolder() })
    const outcome = await thread.inspect({ path: file, identity: await identityAt(file), signal: never })
    expect(outcome).toMatchObject({ ok: false, failure: { kind: 'file-unreadable' } })
  })

  test('returns no findings if the file has changed since the request', async () => {
    const file = copySample('camera.mp4')
    const identity = await identityAt(file)
    writeFileSync(file, 'something else')
    const outcome = await startThread().inspect({ path: file, identity, signal: never })
    expect(outcome).toMatchObject({ ok: false, failure: { kind: 'file-changed' } })
  })

  test('stops an inspection at its time limit and reports the timeout', async () => {
    const file = copySample('camera.mkv')
    const request = { path: file, identity: await identityAt(file), signal: never }
    for (const options of [{ timeLimitMs: -1 }, { timeLimitMs: 1, graceMs: 0 }]) {
      const outcome = await startThread(options).inspect(request)
      expect(outcome).toMatchObject({
        ok: true,
        value: { warnings: [{ code: 'took-too-long', detail: 'The inspection took too long.' }] },
      })
    }
  })

  test('is replaced after a cancelled inspection by a thread that inspects the next file', async () => {
    const file = copySample('camera.mp4')
    const thread = startThread({ timeLimitMs: 20_000 })
    const controller = new AbortController()
    const request = { path: file, identity: await identityAt(file), signal: controller.signal }
    const cancelledInspection = thread.inspect(request)
    controller.abort()
    expect(await cancelledInspection).toMatchObject({ ok: false, failure: { kind: 'cancelled' } })
    expect(await thread.inspect({ ...request, signal: never })).toMatchObject({ ok: true })
  })
})

describe('a station', () => {
  let station: Station
  const pathOf = (name: string) => path.join(station.recordings, name)
  beforeAll(async () => {
    station = await Station.open()
    const mcap = await mcapFile()
    writeFileSync(pathOf('whole.mcap'), mcap)
    writeFileSync(pathOf('notes.bin'), 'hello')
    expect(await station.runToIdle()).toBe(0)
  })
  afterAll(() => station.close())

  type Row = { readonly path: string; readonly inspection: unknown; readonly differences: unknown }
  const rowOf = async (name: string): Promise<Row> => {
    const { out } = await sluice('status', '--json', '--data', station.data)
    const { recordings } = JSON.parse(out) as { readonly recordings: readonly Row[] }
    return recordings.find((row) => row.path === pathOf(name))!
  }

  test('shows the content of a recording in `status --json`', async () => {
    const channel = { messages: 11, rate_hz: 1, largest_gap_s: 1 }
    expect(await rowOf('whole.mcap')).toMatchObject({
      inspection: {
        format: 'mcap',
        completeness: 'complete',
        started_at: '2023-11-14T22:13:20.000Z',
        duration_s: 10,
        channels: [
          { name: '/imu/Data', ...channel },
          { name: '/camera_front/image', ...channel },
        ],
        warnings: [],
      },
      // The sandbox has read the same file with the same inspectors.
      differences: [],
    })
    expect(await rowOf('notes.bin')).toMatchObject({ inspection: { format: 'other', channels: [] } })
  })

  test('includes the inspection in its receipt', async () => {
    const file = path.join(station.root, 'receipt.json')
    rmSync(file, { force: true })
    await sluice('receipt', '--since', '2020-01-01', '--out', file, '--data', station.data)
    const { recordings } = JSON.parse(readFileSync(file, 'utf8')) as Receipt
    const entry = recordings.find((row) => row.path.endsWith('whole.mcap'))
    expect(entry!.inspection).toMatchObject({ format: 'mcap', channels: [{ name: '/imu/Data' }, {}] })
    const verified = await sluice('verify', file, '--data', station.data, '--settings', station.settingsFile)
    expect(verified.out + verified.err).not.toContain('invalid')
  })

  test('uploads a recording whose recorder crashed, and shows it as cut off', async () => {
    const mcap = await mcapFile({ layout: 'bare' })
    writeFileSync(pathOf('crashed.mcap'), mcap.subarray(0, mcap.length - 100))
    // The agent runs in a separate process, to test that it finds the module of its inspection thread.
    await station.command('run', '--settings', station.settingsFile, '--until-idle')
    expect(await rowOf('crashed.mcap')).toMatchObject({
      session_id: expect.stringContaining('ses_'),
      inspection: { completeness: 'cut-off', channels: [{ name: '/imu/Data' }, {}] },
    })
    const { out } = await sluice('status', '--data', station.data)
    expect(out.replaceAll(/\s+/g, ' ')).toContain('MCAP, cut off: the recorder probably crashed')
  })

  test('agrees with the service about a complete rosbag2 database, but only the station detects a cut-off one', async () => {
    for (const name of ['bag_0.db3', 'metadata.yaml', 'cameras_0.db3'])
      copyFileSync(sampleFile(name), pathOf(name))
    await station.command('run', '--settings', station.settingsFile, '--until-idle')
    expect(await rowOf('bag_0.db3')).toMatchObject({
      inspection: { completeness: 'complete', channels: [{ name: '/imu', messages: 100 }], warnings: [] },
      differences: [],
    })
    // The recorder was killed, so `metadata.yaml` does not list the file. The service does not see `metadata.yaml`.
    expect(await rowOf('cameras_0.db3')).toMatchObject({
      inspection: {
        completeness: 'cut-off',
        channels: [{ messages: 14 }, { messages: 200 }, { messages: 0 }],
      },
      differences: ['The file is cut off, but the service reports no issue.'],
    })
  })

  test('reports the missing images of a numbered series at the first image of the series', async () => {
    const image = readFileSync(sampleFile('image.jpg'))
    mkdirSync(pathOf('camera'))
    for (const number of [1, 2, 3, 7, 8, 9, 10]) {
      // A JPEG comment makes each image different, because Sluice uploads the same content only once.
      const comment = Buffer.from([0xff, 0xfe, 0, 3, number])
      const bytes = Buffer.concat([image.subarray(0, 2), comment, image.subarray(2)])
      writeFileSync(pathOf(`camera/frame_${number}.jpg`), bytes)
    }
    station.configure({ folder: { take: 'folder' } })
    await station.command('run', '--settings', station.settingsFile, '--until-idle')
    expect(await rowOf('camera/frame_1.jpg')).toMatchObject({
      inspection: { warnings: [{ detail: '3 of 10 images are missing: 4 to 6.' }] },
      differences: [],
    })
    expect(await rowOf('camera/frame_7.jpg')).toMatchObject({ inspection: { warnings: [] } })
  })
})

test('a closed file with the end mark of its format needs no settle time', needs(linux), async () => {
  const slowStation = await Station.open()
  onTestFinished(() => slowStation.close())
  slowStation.configure({ folder: { settle_seconds: 600 } })
  writeFileSync(path.join(slowStation.recordings, 'take.mcap'), await mcapFile())
  slowStation.agent()
  await waitForJournal(
    slowStation.data,
    'the recorder has closed the file',
    "SELECT 1 FROM timeline WHERE to_state = 'queued' AND reason = 'closed by its recorder'",
  )
})
