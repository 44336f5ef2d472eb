import { closeSync, openSync, writeSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { McapWriter } from '@mcap/core'

/**
 * A simulated recorder: it writes an MCAP file with two channels, as a process of its own. The messages span
 * `--seconds` of recording time, but the process writes them as fast as it can. With `--stay`, it prints a line after
 * the last message and leaves the file open until the test kills it.
 */

const { values } = parseArgs({
  options: {
    file: { type: 'string' },
    seconds: { type: 'string' },
    /** The camera stops after this time. */
    'camera-seconds': { type: 'string' },
    start: { type: 'string' },
    stay: { type: 'boolean', default: false },
  },
})

const RATE_HZ = 30
const seconds = Number(values.seconds)
const cameraSeconds = Number(values['camera-seconds'] ?? seconds)
const startNs = BigInt(values.start ?? 1_700_000_000) * 1_000_000_000n
const fd = openSync(values.file ?? '', 'w')
let size = 0n
const writer = new McapWriter({
  writable: {
    position: () => size,
    async write(bytes) {
      writeSync(fd, bytes)
      size += BigInt(bytes.byteLength)
    },
  },
  // Small chunks, so that most of a recording is on the drive if a test kills the recorder.
  chunkSize: 16_384,
})
await writer.start({ profile: '', library: 'recorder' })
const channelOf = (topic: string) =>
  writer.registerChannel({ topic, schemaId: 0, messageEncoding: 'json', metadata: new Map() })
const channels = [
  { id: await channelOf('/camera/wrist'), seconds: cameraSeconds },
  { id: await channelOf('/imu'), seconds },
]
const data = crypto.getRandomValues(Buffer.alloc(500))
for (let message = 0; message <= seconds * RATE_HZ; message += 1)
  for (const channel of channels) {
    if (message > channel.seconds * RATE_HZ) continue
    const logTime = startNs + BigInt(Math.round((message * 1e9) / RATE_HZ))
    await writer.addMessage({ channelId: channel.id, sequence: message, logTime, publishTime: logTime, data })
  }
if (values.stay) {
  process.stdout.write('recording\n')
  // Keeps the process alive.
  setInterval(() => {}, 60_000)
} else {
  await writer.end()
  closeSync(fd)
  process.stdout.write(`${Date.now()}\n`)
}
