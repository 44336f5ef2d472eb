import { McapWriter, type McapWriterOptions } from '@mcap/core'

export type Compression = { readonly compression: string; readonly compressedData: Uint8Array }

export type McapChoices = {
  /**
   * 'indexed': chunks and a complete summary; 'bare': neither chunks nor summary; 'chunks': chunks without a summary;
   * 'partial': a summary without channels.
   */
  readonly layout?: 'indexed' | 'bare' | 'chunks' | 'partial'
  readonly compress?: (chunk: Uint8Array) => Compression
  readonly startMs?: number
  readonly seconds?: number
  /** The camera stops after this time. Default: it records until the end. */
  readonly cameraSeconds?: number
}

const noSummary = {
  useStatistics: false,
  useSummaryOffsets: false,
  repeatSchemas: false,
  repeatChannels: false,
  useMessageIndex: false,
  useChunkIndex: false,
}

const layouts: Readonly<Record<NonNullable<McapChoices['layout']>, Partial<McapWriterOptions>>> = {
  indexed: {},
  bare: { ...noSummary, useChunks: false },
  chunks: noSummary,
  partial: { repeatChannels: false },
}

/** An MCAP file with two channels and one message per second on each. */
export async function mcapFile({
  layout = 'indexed',
  compress,
  startMs = 1_700_000_000_000,
  seconds = 10,
  cameraSeconds = seconds,
}: McapChoices = {}) {
  const chunks: Uint8Array[] = []
  let size = 0n
  const writer = new McapWriter({
    writable: {
      position: () => size,
      async write(chunk) {
        chunks.push(Uint8Array.from(chunk))
        size += BigInt(chunk.byteLength)
      },
    },
    ...layouts[layout],
    ...(compress === undefined ? {} : { compressChunk: compress }),
  })
  await writer.start({ profile: '', library: 'test' })
  for (const topic of ['/imu/Data', '/camera_front/image']) {
    const channelId = await writer.registerChannel({
      topic,
      schemaId: 0,
      messageEncoding: 'json',
      metadata: new Map(),
    })
    const lastSecond = topic === '/imu/Data' ? seconds : cameraSeconds
    for (let second = 0; second <= lastSecond; second += 1) {
      const logTime = BigInt(startMs + second * 1000) * 1_000_000n
      const data = Buffer.from('{}')
      await writer.addMessage({ channelId, sequence: second, logTime, publishTime: logTime, data })
    }
  }
  await writer.end()
  return Buffer.concat(chunks)
}

/** A WAV file of silence: 16 bits, 8,000 samples per second. */
export function wavFile(channels: number, seconds: number): Buffer {
  const bytesPerSecond = 8_000 * channels * 2
  const data = Buffer.alloc(bytesPerSecond * seconds)
  const format = Buffer.alloc(16)
  format.writeUInt16LE(1, 0)
  format.writeUInt16LE(channels, 2)
  format.writeUInt32LE(8_000, 4)
  format.writeUInt32LE(bytesPerSecond, 8)
  format.writeUInt16LE(channels * 2, 12)
  format.writeUInt16LE(16, 14)
  // An odd-sized chunk before the samples: readers must skip its padding.
  const body = Buffer.concat([
    riffChunk('fmt ', format),
    riffChunk('note', Buffer.from('abc')),
    riffChunk('data', data),
  ])
  return riffChunk('RIFF', Buffer.concat([Buffer.from('WAVE'), body]))
}

function riffChunk(name: string, content: Buffer): Buffer {
  const head = Buffer.alloc(8)
  head.write(name, 0, 'latin1')
  head.writeUInt32LE(content.length, 4)
  return Buffer.concat([head, content, Buffer.alloc(content.length % 2)])
}
