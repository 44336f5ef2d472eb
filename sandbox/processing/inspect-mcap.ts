import { McapIndexedReader, McapStreamReader, type McapTypes } from '@mcap/core'
import { channelNames, type Inspection, nothingFound } from './findings.ts'
import type { Recording } from './recording.ts'

/** No honest summary or record comes near this; a crafted length must not become an allocation. */
const maxRecordBytes = 64 << 20
const streamBytes = 1 << 20

/** Reads the summary at the end; a file that has none is read through, in slices. */
export async function inspectMcap(recording: Recording): Promise<Inspection> {
  if (!(await endsWithMagic(recording))) return truncated('The file does not end as an MCAP file must.')
  try {
    return await readSummary(recording)
  } catch (error) {
    const reason = messageOf(error)
    if (!reason.includes('not indexed')) return truncated(reason)
  }
  try {
    return await readThrough(recording)
  } catch (error) {
    return truncated(messageOf(error))
  }
}

const magicBytes = 8

async function endsWithMagic(recording: Recording): Promise<boolean> {
  const tail = await recording.read(recording.bytes - magicBytes, magicBytes)
  return tail.toString('latin1') === '\x89MCAP0\r\n'
}

async function readSummary(recording: Recording): Promise<Inspection> {
  const reader = await McapIndexedReader.Initialize({
    readable: {
      size: async () => BigInt(recording.bytes),
      read: async (offset, length) => {
        if (length > maxRecordBytes) throw new Error(`A record of ${length} bytes is too large.`)
        if (offset < 0n || offset + length > BigInt(recording.bytes))
          throw new Error('The file ends too early.')
        return new Uint8Array(await recording.read(Number(offset), Number(length)))
      },
    },
  })
  const span = new TimeSpan()
  if (reader.statistics !== undefined && reader.statistics.messageCount > 0n) {
    span.include(reader.statistics.messageStartTime)
    span.include(reader.statistics.messageEndTime)
  }
  for (const chunk of reader.chunkIndexes) {
    // An empty chunk has both times at zero.
    if (chunk.messageEndTime === 0n) continue
    span.include(chunk.messageStartTime)
    span.include(chunk.messageEndTime)
  }
  return inspectionOf([...reader.channelsById.values()], span)
}

async function readThrough(recording: Recording): Promise<Inspection> {
  // Chunks are not unpacked when they are compressed: their record tells their times, and channels that
  // are repeated outside of chunks are found all the same.
  const unpackNothing = () => new Uint8Array()
  const reader = new McapStreamReader({
    includeChunks: true,
    validateCrcs: false,
    decompressHandlers: { lz4: unpackNothing, zstd: unpackNothing },
  })
  const channels: McapTypes.Channel[] = []
  const span = new TimeSpan()
  for (let offset = 0; offset < recording.bytes; offset += streamBytes) {
    reader.append(new Uint8Array(await recording.read(offset, streamBytes)))
    for (let record = reader.nextRecord(); record !== undefined; record = reader.nextRecord()) {
      if (record.type === 'Channel') channels.push(record)
      if (record.type === 'Message') span.include(record.logTime)
      if (record.type === 'Chunk' && record.messageEndTime !== 0n) {
        span.include(record.messageStartTime)
        span.include(record.messageEndTime)
      }
    }
    if (reader.bytesRemaining() > maxRecordBytes) throw new Error('A record is too large.')
  }
  if (!reader.done()) return truncated('The file ends in the middle of a record.')
  return inspectionOf(channels, span)
}

class TimeSpan {
  #firstNs: bigint | null = null
  #lastNs: bigint | null = null

  include(ns: bigint): void {
    if (this.#firstNs === null || ns < this.#firstNs) this.#firstNs = ns
    if (this.#lastNs === null || ns > this.#lastNs) this.#lastNs = ns
  }

  get startMs(): number | null {
    return this.#firstNs === null ? null : Number(this.#firstNs / 1_000_000n)
  }

  get durationS(): number {
    if (this.#firstNs === null || this.#lastNs === null) return 0
    return Number(this.#lastNs - this.#firstNs) / 1e9
  }
}

function inspectionOf(channels: readonly McapTypes.Channel[], span: TimeSpan): Inspection {
  return {
    channels: channelNames(channels.map((channel) => channel.topic)),
    startMs: validTime(span.startMs),
    durationS: span.durationS,
    issues:
      span.startMs === null
        ? [{ code: 'no_messages', severity: 'warning', detail: 'The recording holds no messages.' }]
        : [],
  }
}

/** Nanoseconds fill 64 bits; not all of that is a date. */
function validTime(ms: number | null): number | null {
  return ms !== null && ms <= 8.64e15 ? ms : null
}

function truncated(detail: string): Inspection {
  return nothingFound({ code: 'file_truncated', severity: 'error', detail: detail.slice(0, 500) })
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
