import { zstdDecompressSync } from 'node:zlib'
import { McapIndexedReader, McapStreamReader, type McapTypes } from '@mcap/core'
import type { SessionIssue } from '../../shared/contract/control-api.ts'
import { channelNames, type Inspection, nothingFound } from './findings.ts'
import { unpackLz4Frame } from './lz4-frame.ts'
import type { Recording } from './recording.ts'

/** Far above any real summary or record. A forged length must not cause a huge allocation. */
const maxRecordBytes = 64 << 20
const streamBytes = 1 << 20

/** Reads the summary at the end of the file, or the whole file in slices if the summary is incomplete. */
export async function inspectMcap(recording: Recording): Promise<Inspection> {
  if (!(await endsWithMagic(recording))) {
    const detail = 'The MCAP file is incomplete.'
    return nothingFound({ code: 'file_truncated', severity: 'error', detail })
  }
  try {
    return (await readSummary(recording)) ?? (await readThrough(recording))
  } catch (error) {
    const detail = (error instanceof Error ? error.message : String(error)).slice(0, 500)
    return nothingFound({ code: 'file_unreadable', severity: 'error', detail })
  }
}

const magicBytes = 8

async function endsWithMagic(recording: Recording): Promise<boolean> {
  const tail = await recording.read(recording.bytes - magicBytes, magicBytes)
  return tail.toString('latin1') === '\x89MCAP0\r\n'
}

/** Null if there is no summary, or if it lacks channels or times. */
async function readSummary(recording: Recording): Promise<Inspection | null> {
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
  }).catch((error: unknown) => {
    if (error instanceof Error && error.message.includes('not indexed')) return null
    throw error
  })
  if (reader === null) return null
  const { statistics, chunkIndexes, channelsById } = reader
  const tellsAll =
    statistics === undefined
      ? channelsById.size > 0 && chunkIndexes.length > 0
      : channelsById.size >= statistics.channelCount
  if (!tellsAll) return null
  const span = new TimeSpan()
  if (statistics !== undefined && statistics.messageCount > 0n) {
    span.include(statistics.messageStartTime)
    span.include(statistics.messageEndTime)
  }
  for (const chunk of chunkIndexes) span.includeChunk(chunk)
  return inspectionOf([...channelsById.values()], span)
}

async function readThrough(recording: Recording): Promise<Inspection> {
  const unknown = new Set<string>()
  const reader = new McapStreamReader({
    includeChunks: true,
    validateCrcs: false,
    decompressHandlers: unpackers(unknown),
  })
  const channels: McapTypes.Channel[] = []
  const span = new TimeSpan()
  for (let offset = 0; offset < recording.bytes; offset += streamBytes) {
    reader.append(new Uint8Array(await recording.read(offset, streamBytes)))
    for (let record = reader.nextRecord(); record !== undefined; record = reader.nextRecord()) {
      if (record.type === 'Channel') channels.push(record)
      if (record.type === 'Message') span.include(record.logTime)
      if (record.type === 'Chunk') {
        // The reader handles uncompressed and empty chunks itself.
        if (record.compression === '' || record.records.byteLength === 0)
          ofDeclaredSize(record.records, record.uncompressedSize)
        span.includeChunk(record)
      }
    }
    if (reader.bytesRemaining() > maxRecordBytes) throw new Error('A record is too large.')
  }
  if (!reader.done()) throw new Error('The file ends in the middle of a record.')
  const found = inspectionOf(channels, span)
  const issues = [...unknown].map((compression) => unknownCompression(compression))
  return { ...found, issues: [...found.issues, ...issues] }
}

type Unpacker = (packed: Uint8Array, size: bigint) => Uint8Array

/**
 * Unpackers for the compressions of MCAP. An unknown compression is skipped and remembered: the chunk record still has its
 * times, and channels may be outside of the chunk.
 */
function unpackers(unknown: Set<string>): Record<string, Unpacker> {
  const known: Readonly<Record<string, Unpacker>> = {
    lz4: (packed, size) => unpackLz4Frame(packed, bounded(size)),
    // For a truncated frame, Node 24.15 returns partial data or nothing, and no error.
    zstd: (packed, size) =>
      ofDeclaredSize(zstdDecompressSync(packed, { maxOutputLength: Math.max(1, bounded(size)) }), size),
  }
  const passOver = (compression: string): Unpacker => {
    unknown.add(compression)
    return () => new Uint8Array()
  }
  return new Proxy({}, { get: (_, name) => known[String(name)] ?? passOver(String(name)) })
}

function ofDeclaredSize(unpacked: Uint8Array, size: bigint): Uint8Array {
  if (BigInt(unpacked.byteLength) === size) return unpacked
  throw new Error(`A chunk has ${unpacked.byteLength} bytes but declares ${size}.`)
}

function bounded(size: bigint): number {
  if (size > maxRecordBytes) throw new Error(`A chunk of ${size} bytes is too large.`)
  return Number(size)
}

function unknownCompression(compression: string): SessionIssue {
  const name = JSON.stringify(compression.slice(0, 40))
  const detail = `Chunks are compressed with ${name}, which is not known here; channels inside them are not found.`
  return { code: 'compression_unknown', severity: 'warning', detail }
}

class TimeSpan {
  #firstNs: bigint | null = null
  #lastNs: bigint | null = null

  include(ns: bigint): void {
    if (this.#firstNs === null || ns < this.#firstNs) this.#firstNs = ns
    if (this.#lastNs === null || ns > this.#lastNs) this.#lastNs = ns
  }

  /** In a chunk without messages, both times are zero. */
  includeChunk(chunk: { readonly messageStartTime: bigint; readonly messageEndTime: bigint }): void {
    if (chunk.messageEndTime === 0n) return
    this.include(chunk.messageStartTime)
    this.include(chunk.messageEndTime)
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

/** Not every 64-bit number of nanoseconds is a valid date. */
function validTime(ms: number | null): number | null {
  return ms !== null && ms <= 8.64e15 ? ms : null
}
