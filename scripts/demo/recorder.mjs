import { randomBytes } from 'node:crypto'
import { open } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { McapWriter } from '@mcap/core'

/** Simulates recorders, whose files grow for several seconds and are complete only after the last write. */

const STEP_MS = 100

/** @typedef {{ folder: string, signal: AbortSignal }} RecorderOptions the signal stops all recordings */

/**
 * @param {string} file
 * @param {(handle: import('node:fs/promises').FileHandle) => Promise<void>} write
 */
const recordFile = async (file, write) => {
  const handle = await open(file, 'w')
  try {
    await write(handle)
  } finally {
    await handle.close()
  }
  return file
}

/**
 * @param {import('node:fs/promises').FileHandle} handle
 * @param {{ seconds: number, kilobytesPerStep: number, signal: AbortSignal, isCutOff?: boolean }} options
 */
const recordMcap = async (handle, { seconds, kilobytesPerStep, signal, isCutOff = false }) => {
  let position = 0n
  const writer = new McapWriter({
    writable: {
      position: () => position,
      write: async (bytes) => {
        await handle.write(bytes)
        position += BigInt(bytes.byteLength)
      },
    },
    useChunks: true,
    chunkSize: 256 * 1024,
  })
  await writer.start({ profile: '', library: 'sluice demo recorder' })
  const schemaId = await writer.registerSchema({
    name: 'sample',
    encoding: 'jsonschema',
    data: new TextEncoder().encode('{"type":"object"}'),
  })
  const topics = ['/camera/front', '/imu', '/gripper/state']
  const channels = []
  for (const topic of topics)
    channels.push(
      await writer.registerChannel({ schemaId, topic, messageEncoding: 'json', metadata: new Map() }),
    )
  const startedAtMs = Date.now()
  for (let sequence = 0; sequence * STEP_MS < seconds * 1000; sequence += 1) {
    const logTime = BigInt(startedAtMs + sequence * STEP_MS) * 1_000_000n
    for (const channelId of channels) {
      const data = randomBytes(Math.round((kilobytesPerStep * 1024) / channels.length))
      await writer.addMessage({ channelId, sequence, logTime, publishTime: logTime, data })
    }
    await sleep(STEP_MS, undefined, { signal })
  }
  // A recorder that loses power writes no footer.
  if (!isCutOff) await writer.end()
}

const SAMPLE_RATE = 48_000

/** @param {number} dataBytes */
const wavHeader = (dataBytes) => {
  const header = Buffer.alloc(44)
  header.write('RIFF', 0)
  header.writeUInt32LE(36 + dataBytes, 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(SAMPLE_RATE, 24)
  header.writeUInt32LE(SAMPLE_RATE * 2, 28)
  header.writeUInt16LE(2, 32)
  header.writeUInt16LE(16, 34)
  header.write('data', 36)
  header.writeUInt32LE(dataBytes, 40)
  return header
}

/**
 * @param {import('node:fs/promises').FileHandle} handle
 * @param {{ seconds: number, signal: AbortSignal }} options
 */
const recordWav = async (handle, { seconds, signal }) => {
  // Real recorders also write the true size only when the recording stops.
  await handle.write(wavHeader(0))
  let bytes = 0
  const perStep = (SAMPLE_RATE * STEP_MS) / 1000
  for (let step = 0; step * STEP_MS < seconds * 1000; step += 1) {
    const samples = Buffer.alloc(perStep * 2)
    for (let index = 0; index < perStep; index += 1)
      samples.writeInt16LE(
        Math.round(9000 * Math.sin((step * perStep + index) / 17) + Math.random() * 500),
        index * 2,
      )
    await handle.write(samples)
    bytes += samples.length
    await sleep(STEP_MS, undefined, { signal })
  }
  await handle.write(wavHeader(bytes), 0, 44, 0)
}

/**
 * Records one shift at the station. Three recorders write at the same time.
 *
 * @param {RecorderOptions} options
 * @param {number} shift
 * @returns {Promise<string[]>} the files that were written
 */
export const recordShift = ({ folder, signal }, shift) => {
  const file = (/** @type {string} */ name, /** @type {string} */ extension) =>
    path.join(folder, `${name}-${String(shift).padStart(3, '0')}.${extension}`)
  const arm = { seconds: 6, kilobytesPerStep: 600, signal }
  const grip = { seconds: 3, kilobytesPerStep: 60, signal }
  return Promise.all([
    recordFile(file('arm', 'mcap'), (handle) => recordMcap(handle, arm)),
    recordFile(file('grip', 'mcap'), (handle) => recordMcap(handle, grip)),
    recordFile(file('mic', 'wav'), (handle) => recordWav(handle, { seconds: 5, signal })),
  ])
}

/**
 * Writes a recording without a footer, as an example of a recording that needs attention.
 *
 * @param {RecorderOptions} options
 */
const recordCutOff = ({ folder, signal }) =>
  recordFile(path.join(folder, 'cut-off.mcap'), (handle) =>
    recordMcap(handle, { seconds: 2, kilobytesPerStep: 300, signal, isCutOff: true }),
  )

/**
 * Records shift after shift until the signal aborts. The first shift also has a recording without a footer.
 *
 * @param {RecorderOptions} options
 * @param {number} pauseMs
 */
export const recordContinuously = async (options, pauseMs) => {
  try {
    for (let shift = 1; ; shift += 1) {
      await Promise.all([recordShift(options, shift), ...(shift === 1 ? [recordCutOff(options)] : [])])
      await sleep(pauseMs, undefined, { signal: options.signal })
    }
  } catch (error) {
    if (!options.signal.aborted) throw error
  }
}
