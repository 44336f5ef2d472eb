import { describe, expect, test } from 'vitest'
import { isPartial } from '../../../../main/agent/domain/find-deviations.ts'
import { MAX_READ_BYTES } from '../../../../shared/formats/bounded-reader.ts'
import { findEnd, inspect } from '../../../../shared/formats/inspect.ts'
import type { Inspection } from '../../../../shared/status/inspection.ts'
import { limitsByClockReads, sourceOf, storedFile } from '../../../support/formats/recorded-files.ts'

const inspectStored = (name: string) => inspect(sourceOf(storedFile(name)), limitsByClockReads())
const endOfStored = async (name: string) =>
  (await findEnd(sourceOf(storedFile(name)), limitsByClockReads())).end

const channelsOf = ({ channels }: Inspection) =>
  Object.fromEntries(channels.map(({ name, type, messages }) => [name, [type, messages]]))

const summaryOf = (inspection: Inspection) => [
  inspection.format,
  inspection.completeness,
  inspection.durationS,
  channelsOf(inspection),
]

describe('the inspection of a file that a different program wrote', () => {
  const imu = ['sensor_msgs/msg/Imu', 100]
  const text = (messages: number) => ['std_msgs/String', messages]
  const wrist = { 'observations/images/wrist': ['uint8 50 × 4 × 4 × 3', 50] }
  const episode = { action: ['float32 50 × 7', 50], 'observations/qpos': ['float64 50 × 7', 50], ...wrist }
  const action = ['float32 50 × 7', 50]
  const jointNames = Array.from({ length: 12 }, (_, index) => `joint_${String(index).padStart(2, '0')}`)
  const joints = Object.fromEntries(jointNames.map((name) => [name, ['float32 5', 5]]))
  const audio = (type: string) => ({ 'audio.0': [type, 4000], 'audio.1': [type, 4000] })
  const storedFiles: readonly (readonly [string, ...unknown[]])[] = [
    ['camera.mp4', 'mp4', 'complete', 2.128, { video: ['avc1', 20], audio: ['mp4a', 17] }],
    ['faststart.mp4', 'mp4', 'complete', 2, { video: ['avc1', 20] }],
    ['fragmented.mp4', 'mp4', 'complete', 2.128027, { video: ['avc1', 20], audio: ['mp4a', 17] }],
    ['camera.mov', 'mov', 'complete', 2, { video: ['mp4v', 20] }],
    ['camera.mkv', 'mkv', 'complete', 2.032, { video: ['V_MPEG4/ISO/AVC', 20], audio: ['A_VORBIS', 64] }],
    ['mic.wav', 'wav', 'complete', 0.5, audio('pcm 16 bit')],
    ['stream.wav', 'wav', 'unknown', 0.5, { 'audio.0': ['pcm 16 bit', 4000] }],
    ['rf64.wav', 'wav', 'complete', 0.5, { 'audio.0': ['pcm 16 bit', 4000] }],
    ['mic.flac', 'flac', 'complete', 0.5, audio('flac 16 bit')],
    ['episode.h5', 'hdf5', 'complete', null, { ...episode, language: ['variable length', 1] }],
    ['latest.h5', 'hdf5', 'complete', null, { ...episode, language: ['variable length', 1] }],
    ['links.h5', 'hdf5', 'complete', null, { action, 'cameras/wrist': action }],
    ['dense.h5', 'hdf5', 'complete', null, joints],
    ['ordered.h5', 'hdf5', 'complete', null, joints],
    ['user-block.h5', 'hdf5', 'complete', null, { action, 'observations/qpos': action }],
    [
      'episode.parquet',
      'parquet',
      'complete',
      null,
      { timestamp: ['double', 100], 'observation.state': ['int32', 100], task: ['binary', 100] },
    ],
    [
      'run.bag',
      'rosbag1',
      'complete',
      9.9,
      { '/imu': ['std_msgs/String', 100], '/camera/wrist': ['std_msgs/String', 50] },
    ],
    ['gap.bag', 'rosbag1', 'complete', 9.9, { '/imu': text(100), '/lidar': text(70) }],
    ['bag_0.db3', 'rosbag2', 'complete', 9.9, { '/imu': imu }],
    ['metadata.yaml', 'rosbag2', 'unknown', 9.9, { '/imu': imu }],
    ['image.jpg', 'jpeg', 'complete', null, { image: ['jpeg 64 × 48', 1] }],
    ['image.png', 'png', 'complete', null, { image: ['png 64 × 48', 1] }],
  ]
  test.each(storedFiles)('finds the content of %s', async (name, ...expected) => {
    const inspection = await inspectStored(String(name))
    expect(summaryOf(inspection)).toEqual(expected)
    expect(inspection.warnings).toEqual([])
  })

  test('gives the creation time of a video as its start', async () => {
    for (const name of ['camera.mov', 'camera.mkv'])
      expect((await inspectStored(name)).startedAtMs, name).toBe(Date.parse('2026-03-04T05:06:07Z'))
    expect((await inspectStored('camera.mp4')).startedAtMs).toBeNull()
  })

  test('reports a gap until the end for a topic that stops halfway', async () => {
    const { channels } = await inspectStored('run.bag')
    const [imuChannel, wristChannel] = channels
    expect(imuChannel).toMatchObject({ name: '/imu', rateHz: 10, largestGapS: 0.1 })
    expect(wristChannel!.largestGapS).toBeGreaterThan(3)
    expect(imuChannel!.timeline).not.toContain(0)
    expect(wristChannel!.timeline!.slice(-10)).toEqual(Array(10).fill(0))
  })

  test('finds a gap within a chunk of a ROS 1 bag', async () => {
    const { channels } = await inspectStored('gap.bag')
    expect(channels[0]).toMatchObject({ name: '/imu', messages: 100, rateHz: 10, largestGapS: 0.1 })
    expect(channels[1]).toMatchObject({ name: '/lidar', messages: 70, largestGapS: 3.1 })
    expect(channels[1]!.timeline).toContain(0)
  })

  test('ignores the indexes of a ROS 1 bag that do not match their chunk', async () => {
    const { name, bytes } = storedFile('gap.bag')
    const copy = Buffer.from(bytes)
    const index = copy.indexOf('conn=', copy.indexOf('op=\x04'))
    copy.writeUInt32LE(99, index + 5)
    const inspection = await inspect(sourceOf({ name, bytes: copy }), limitsByClockReads())
    expect(summaryOf(inspection)).toEqual(summaryOf(await inspectStored('gap.bag')))
    expect(inspection.channels[1]!.largestGapS).toBeLessThan(1)
  })

  test('counts a ROS 1 bag without messages as complete', async () => {
    expect(await endOfStored('empty.bag')).toBe('marked')
    const { completeness, channels, warnings } = await inspectStored('empty.bag')
    expect({ completeness, channels }).toEqual({ completeness: 'complete', channels: [] })
    expect(warnings.map(({ code }) => code)).toEqual(['no-messages'])
  })
})

describe('the end of a file', () => {
  test.each([2, 4_095, 4_096, 4_097, 600_000])(
    'a JPEG file with %i zeros after its end is complete',
    async (zeros) => {
      const { name, bytes } = storedFile('image.jpg')
      const padded = (image: Buffer) => sourceOf({ name, bytes: Buffer.concat([image, Buffer.alloc(zeros)]) })
      expect((await findEnd(padded(bytes), limitsByClockReads())).end).toBe('marked')
      const cut = padded(bytes.subarray(0, bytes.length - 20))
      expect((await findEnd(cut, limitsByClockReads())).end).toBe('cut-off')
    },
  )

  test.each([
    'camera.mp4',
    'camera.mov',
    'camera.mkv',
    'mic.wav',
    'mic.flac',
    'episode.h5',
    'latest.h5',
    'links.h5',
    'dense.h5',
    'user-block.h5',
    'episode.parquet',
    'run.bag',
    'bag_0.db3',
    'image.png',
    'image.jpg',
  ])('%s has its end mark, and its first half does not', async (name) => {
    const { bytes } = storedFile(name)
    expect(await endOfStored(name)).toBe('marked')
    const firstHalf = sourceOf({ name, bytes: bytes.subarray(0, bytes.length / 2) })
    expect((await findEnd(firstHalf, limitsByClockReads())).end).not.toBe('marked')
  })

  test('a streamed file and a metadata file have no end mark', async () => {
    for (const name of ['stream.mkv', 'stream.wav', 'metadata.yaml'])
      expect(await endOfStored(name), name).toBe('unmarked')
  })

  test.each(['killed.mkv', 'killed-gst.mkv'])('%s of a killed recorder is cut off', async (name) => {
    expect(await endOfStored(name)).toBe('cut-off')
    const { completeness, durationS, channels } = await inspectStored(name)
    expect(completeness).toBe('cut-off')
    expect(durationS).toBeGreaterThan(1)
    expect(channels).toMatchObject([{ name: 'video', messages: expect.any(Number) }])
  })

  test('a Matroska file whose length mkvmerge has not written is cut off', async () => {
    const bytes = Buffer.from(storedFile('camera.mkv').bytes)
    const segmentAt = bytes.indexOf(Buffer.from('18538067', 'hex'))
    bytes.fill(0, segmentAt + 5, segmentAt + 12)
    const source = sourceOf({ name: 'a.mkv', bytes })
    expect((await findEnd(source, limitsByClockReads())).end).toBe('cut-off')
    const inspection = await inspect(source, limitsByClockReads())
    expect(inspection.completeness).toBe('cut-off')
    expect(channelsOf(inspection)).toMatchObject({ video: ['V_MPEG4/ISO/AVC', 20] })
  })

  test('a streamed Matroska file may be unfinished, and the inspection reports this', async () => {
    const inspection = await inspectStored('stream.mkv')
    expect(summaryOf(inspection)).toEqual(['mkv', 'unknown', 1.9, { video: ['V_MPEG4/ISO/AVC', 20] }])
    expect(inspection.warnings.map(({ code }) => code)).toEqual(['not-finished'])
  })

  test('a block of zeros in the middle of an MP4 file is damage', async () => {
    const { bytes } = storedFile('fragmented.mp4')
    const holed = Buffer.concat([bytes.subarray(0, bytes.indexOf('moof') - 4), Buffer.alloc(4096), bytes])
    const { warnings } = await inspect(sourceOf({ name: 'a.mp4', bytes: holed }), limitsByClockReads())
    expect(warnings.map(({ code }) => code)).toEqual(['damaged'])
  })

  test('an HDF5 file that its writer left open is cut off', async () => {
    const bytes = Buffer.from(storedFile('latest.h5').bytes)
    bytes[11] = bytes[11]! | 1
    // Version 3 of the format marks an open file. Version 2 does not have this flag.
    bytes[8] = 3
    expect((await findEnd(sourceOf({ name: 'open.h5', bytes }), limitsByClockReads())).end).toBe('cut-off')
  })

  test('the first half of an HDF5 file that begins with a user block, as from MATLAB, is cut off', async () => {
    const { bytes } = storedFile('user-block.h5')
    const firstHalf = sourceOf({ name: 'run.mat', bytes: bytes.subarray(0, bytes.length / 2) })
    expect(await findEnd(firstHalf, limitsByClockReads())).toEqual({ format: 'hdf5', end: 'cut-off' })
    expect(await inspect(firstHalf, limitsByClockReads())).toMatchObject({ completeness: 'cut-off' })
  })

  test('an HDF5 file that refers to an object outside the file is not cut off', async () => {
    const bytes = Buffer.from(storedFile('episode.h5').bytes)
    const rootAddressAt = 64
    bytes.writeBigUInt64LE(BigInt(bytes.length + 1_000), rootAddressAt)
    const source = sourceOf({ name: 'a.h5', bytes })
    expect((await findEnd(source, limitsByClockReads())).end).toBe('marked')
    const inspection = await inspect(source, limitsByClockReads())
    expect(inspection.completeness).toBe('unknown')
    expect(inspection.warnings.map(({ code }) => code)).toEqual(['not-readable'])
    expect(isPartial(inspection)).toBe(true)
  })

  test('a bag database with an SQLite journal beside it is cut off', async () => {
    const source = sourceOf(storedFile('bag_0.db3'))
    const journal = sourceOf({ name: 'bag_0.db3-journal', bytes: Buffer.alloc(512, 1) })
    const withJournal = {
      ...source,
      openBeside: async (name: string) => (name.endsWith('-journal') ? journal : null),
    }
    expect((await inspect(withJournal, limitsByClockReads())).completeness).toBe('cut-off')
  })
})

describe('an inspection', () => {
  test('that takes too long keeps its findings and reports the timeout', async () => {
    const inspection = await inspect(sourceOf(storedFile('camera.mkv')), limitsByClockReads(80))
    expect(inspection.warnings.map(({ code }) => code)).toEqual(['took-too-long'])
    expect(inspection.completeness).toBe('unknown')
    expect(inspection.channels.map(({ name }) => name)).toEqual(['video', 'audio'])
    // The duration comes from the header of the file.
    expect(inspection.durationS).toBe(2.032)
  })

  test('ends when its signal aborts', async () => {
    const limits = { ...limitsByClockReads(), signal: AbortSignal.abort(new Error('stop')) }
    await expect(inspect(sourceOf(storedFile('mic.wav')), limits)).rejects.toThrow('stop')
  })

  test('of a source that cannot be read rejects with the source’s error', async () => {
    const read = () => Promise.reject(new Error('the drive is gone'))
    const source = { name: 'a.mcap', size: 100, read }
    await expect(inspect(source, limitsByClockReads())).rejects.toThrow('the drive is gone')
  })

  test('reports an unknown format as `other`, without any details', async () => {
    const inspection = await inspect(
      sourceOf({ name: 'notes.txt', bytes: Buffer.from('hello') }),
      limitsByClockReads(),
    )
    expect(inspection).toEqual({
      format: 'other',
      completeness: 'unknown',
      startedAtMs: null,
      endedAtMs: null,
      durationS: null,
      channels: [],
      warnings: [],
    })
  })

  test('never reads more bytes in one call than the limit', async () => {
    const bytes = Buffer.from(storedFile('episode.parquet').bytes)
    const size = 40 << 20
    const source = sourceOf({ name: 'a.parquet', bytes })
    bytes.writeUInt32LE(30 << 20, bytes.length - 8)
    const large = {
      ...source,
      size,
      read: (offset: number, length: number) =>
        offset < 16 ? source.read(offset, length) : source.read(offset - size + bytes.length, length),
    }
    expect((await inspect(large, limitsByClockReads())).warnings.map(({ code }) => code)).toEqual([
      'chunk-too-large',
    ])
    expect(source.counts.largest).toBeLessThanOrEqual(MAX_READ_BYTES)
  })
})
