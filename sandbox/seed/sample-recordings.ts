import { McapWriter } from '@mcap/core'

export type SampleRecording = {
  readonly site: string
  readonly device: string
  readonly filename: string
  readonly notes: string
  readonly bytes: Buffer
}

/** §5.3: a sandbox organisation has sample recordings. They are real files, small enough to generate at start. */
export async function sampleRecordings(nowMs: number): Promise<SampleRecording[]> {
  const mcap = await sampleMcap(nowMs - 3_600_000)
  return [
    {
      site: 'sample-hall',
      device: 'arm-1',
      filename: 'pick-and-place.mcap',
      notes: 'Sample: two channels over 90 seconds',
      bytes: mcap,
    },
    {
      site: 'sample-hall',
      device: 'mic-1',
      filename: 'room-tone.wav',
      notes: 'Sample: one second of silence in stereo',
      bytes: sampleWav(),
    },
    {
      site: 'sample-yard',
      device: 'rover-2',
      filename: 'cut-short.mcap',
      notes: 'Sample: a recorder that lost power',
      bytes: mcap.subarray(0, Math.floor(mcap.length / 2)),
    },
  ]
}

async function sampleMcap(startMs: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0n
  const writer = new McapWriter({
    writable: {
      position: () => size,
      async write(chunk) {
        // Copy the chunk: the writer reuses its buffer.
        chunks.push(Uint8Array.from(chunk))
        size += BigInt(chunk.byteLength)
      },
    },
  })
  await writer.start({ profile: '', library: 'sandbox' })
  const topics = ['/joint_states', '/camera/front']
  const ids: number[] = []
  for (const topic of topics) {
    ids.push(
      await writer.registerChannel({ topic, schemaId: 0, messageEncoding: 'json', metadata: new Map() }),
    )
  }
  for (let second = 0; second <= 90; second += 1) {
    const logTime = BigInt(startMs + second * 1000) * 1_000_000n
    for (const channelId of ids) {
      const data = Buffer.from(JSON.stringify({ second }))
      await writer.addMessage({ channelId, sequence: second, logTime, publishTime: logTime, data })
    }
  }
  await writer.end()
  return Buffer.concat(chunks)
}

function sampleWav(): Buffer {
  const rate = 8_000
  const channels = 2
  const dataBytes = rate * channels * 2
  const head = Buffer.alloc(44)
  head.write('RIFF', 0, 'latin1')
  head.writeUInt32LE(36 + dataBytes, 4)
  head.write('WAVEfmt ', 8, 'latin1')
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(channels, 22)
  head.writeUInt32LE(rate, 24)
  head.writeUInt32LE(rate * channels * 2, 28)
  head.writeUInt16LE(channels * 2, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36, 'latin1')
  head.writeUInt32LE(dataBytes, 40)
  return Buffer.concat([head, Buffer.alloc(dataBytes)])
}
