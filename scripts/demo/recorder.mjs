import { randomBytes } from 'node:crypto'
import { open } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { McapWriter } from '@mcap/core'

/** A recorder as stations have it: files that grow for seconds and get their proper end last. */

const STEP_MS = 100

/**
 * @param {string} folder
 * @param {{ name: string, seconds: number, kilobytesPerStep: number }} take
 */
const recordMcap = async (folder, { name, seconds, kilobytesPerStep }) => {
  const file = path.join(folder, `${name}.mcap`)
  const handle = await open(file, 'w')
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
    await sleep(STEP_MS)
  }
  await writer.end()
  await handle.close()
  return file
}

const RATE = 48_000

/** @param {number} dataBytes */
const wavHeader = (dataBytes) => {
  const header = Buffer.alloc(44)
  header.write('RIFF', 0)
  header.writeUInt32LE(36 + dataBytes, 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(RATE, 24)
  header.writeUInt32LE(RATE * 2, 28)
  header.writeUInt16LE(2, 32)
  header.writeUInt16LE(16, 34)
  header.write('data', 36)
  header.writeUInt32LE(dataBytes, 40)
  return header
}

/**
 * @param {string} folder
 * @param {{ name: string, seconds: number }} take
 */
const recordWav = async (folder, { name, seconds }) => {
  const file = path.join(folder, `${name}.wav`)
  const handle = await open(file, 'w')
  // Like real recorders: sizes are zero until the recording stops.
  await handle.write(wavHeader(0))
  let bytes = 0
  const perStep = (RATE * STEP_MS) / 1000
  for (let step = 0; step * STEP_MS < seconds * 1000; step += 1) {
    const samples = Buffer.alloc(perStep * 2)
    for (let index = 0; index < perStep; index += 1)
      samples.writeInt16LE(
        Math.round(9000 * Math.sin((step * perStep + index) / 17) + Math.random() * 500),
        index * 2,
      )
    await handle.write(samples)
    bytes += samples.length
    await sleep(STEP_MS)
  }
  await handle.write(wavHeader(bytes), 0, 44, 0)
  await handle.close()
  return file
}

/**
 * One shift at the station: several recorders at once.
 *
 * @param {string} folder
 * @param {number} shift
 * @returns {Promise<string[]>} the files that were written
 */
export const recordShift = (folder, shift) => {
  const name = (/** @type {string} */ what) => `${what}-${String(shift).padStart(3, '0')}`
  return Promise.all([
    recordMcap(folder, { name: name('arm'), seconds: 6, kilobytesPerStep: 600 }),
    recordMcap(folder, { name: name('grip'), seconds: 3, kilobytesPerStep: 60 }),
    recordWav(folder, { name: name('mic'), seconds: 5 }),
  ])
}
