import { crc32 } from 'node:zlib'
import { McapStreamReader, type McapTypes } from '@mcap/core'
import { type BoundedReader, DamagedError, EndOfFileError, safeNumber } from './bounded-reader.ts'
import { type Findings, MAX_CHANNELS } from './findings.ts'
import type { EndMark, Format } from './format.ts'
import { unpackChunk } from './mcap-chunk.ts'
import { type McapChannel, type McapSchema, readDefinition } from './mcap-definitions.ts'
import { type ChunkPlace, checkPictures, type PictureKind, pictureKindOf } from './mcap-pictures.ts'
import { headBytes, msOf, Op, readMessageIndexes, walkChunk, walkRecords } from './mcap-records.ts'

const magic = Buffer.from('\x89MCAP0\r\n', 'latin1')
const footerBytes = 9 + 20
/**
 * Message indexes give the time of each message. Beyond this many bytes of indexes, Sluice uses only the first and the
 * last time of each chunk.
 */
const maxIndexBytes = 3 << 20
/** A chunk usually has about a megabyte, so this is enough for recordings of 100 GB. */
const maxChunkPlaces = 100_000
/** A statistics or index record with all 65,536 channels is shorter than this. */
const maxParsedBytes = 1 << 20

const startsWithMagic = (head: Buffer): boolean => head.subarray(0, magic.length).equals(magic)

async function findEnd(reader: BoundedReader): Promise<EndMark> {
  if (reader.size < 2 * magic.length || !startsWithMagic(await reader.readUpTo(0, magic.length)))
    return 'cut-off'
  return (await reader.readExactly(reader.size - magic.length, magic.length)).equals(magic)
    ? 'marked'
    : 'cut-off'
}

/** Reads the summary at the end of the file, or all records if the summary is missing or incomplete. */
async function inspect(reader: BoundedReader, findings: Findings): Promise<void> {
  const mcap = new McapFindings(findings)
  if ((await findEnd(reader)) === 'cut-off') {
    findings.completeness = 'cut-off'
    if (startsWithMagic(await reader.readUpTo(0, magic.length))) await scanUntilCut(reader, mcap)
    return
  }
  const header = await reader.readExactly(magic.length, 9)
  const headerBytes = safeNumber(header.readBigUInt64LE(1))
  if (header[0] !== Op.header || headerBytes > reader.size)
    throw new DamagedError('The MCAP header is invalid.')
  const footerStart = reader.size - magic.length - footerBytes
  const footer = await reader.readExactly(footerStart, footerBytes)
  if (footer[0] !== Op.footer || footer.readBigUInt64LE(1) !== 20n)
    throw new DamagedError('The MCAP footer is invalid.')
  const summaryStart = safeNumber(footer.readBigUInt64LE(9))
  const isIndexed = summaryStart !== 0 && (await readSummary(reader, mcap, summaryStart, footer))
  if (!isIndexed) await scan(reader, mcap, footerStart)
  mcap.conclude()
  findings.completeness = 'complete'
  if (isIndexed) await checkPictures(reader, findings, mcap.pictureKinds(), mcap.chunkPlaces)
}

/** Does not report a broken last record, because the end of the file is missing anyway. */
async function scanUntilCut(reader: BoundedReader, mcap: McapFindings): Promise<void> {
  try {
    await scan(reader, mcap, reader.size)
  } catch (error) {
    if (!(error instanceof DamagedError) && !(error instanceof EndOfFileError)) throw error
  }
  mcap.conclude()
}

/** False if the summary lacks channels or times. */
async function readSummary(
  reader: BoundedReader,
  mcap: McapFindings,
  start: number,
  footer: Buffer,
): Promise<boolean> {
  const end = reader.size - magic.length - footerBytes
  if (start < magic.length || start > end) throw new DamagedError('The MCAP summary is outside of the file.')
  const parser = new McapStreamReader({ noMagicPrefix: true, validateCrcs: false })
  let crc = 0
  let statistics: McapTypes.Statistics | null = null
  let chunks = 0
  let indexBytesLeft = maxIndexBytes
  const indexReader = reader.fork()
  for await (const record of walkRecords(reader, start, end)) {
    const bytes = await record.bytes()
    crc = crc32(bytes, crc)
    mcap.addDefinition(record.op, bytes.subarray(headBytes))
    if (!parsedOps.has(record.op)) continue
    const parsed = parseRecord(parser, bytes)
    if (parsed?.type === 'Statistics') statistics = parsed
    if (parsed?.type === 'ChunkIndex') {
      chunks += 1
      indexBytesLeft -= Number(parsed.messageIndexLength)
      await readChunkIndex(indexReader, mcap, parsed, indexBytesLeft >= 0)
    }
  }
  // The checksum also covers the footer, up to the checksum itself.
  const declaredCrc = footer.readUInt32LE(footerBytes - 4)
  if (declaredCrc !== 0 && crc32(footer.subarray(0, footerBytes - 4), crc) !== declaredCrc)
    throw new DamagedError('The MCAP summary does not match its checksum.')
  if (statistics === null) return mcap.channelCount > 0 && chunks > 0
  if (mcap.channelCount < statistics.channelCount) return false
  mcap.addStatistics(statistics)
  return true
}

const parsedOps: ReadonlySet<number> = new Set([Op.statistics, Op.chunkIndex])

/** Counts the messages of each channel in a chunk. Without `readsTimes`, does not read the time of each message. */
async function readChunkIndex(
  reader: BoundedReader,
  mcap: McapFindings,
  chunk: McapTypes.ChunkIndex,
  readsTimes: boolean,
): Promise<void> {
  const [startMs, endMs] = [msOf(chunk.messageStartTime), msOf(chunk.messageEndTime)]
  mcap.includeSpan(startMs, endMs)
  if (mcap.chunkPlaces.length < maxChunkPlaces)
    mcap.chunkPlaces.push({
      start: safeNumber(chunk.chunkStartOffset),
      bytes: safeNumber(chunk.chunkLength),
    })
  const offsets = [...chunk.messageIndexOffsets].map(([channel, offset]) => ({
    channel,
    at: safeNumber(offset),
  }))
  if (offsets.length === 0) return
  offsets.sort((a, b) => a.at - b.at)
  const first = offsets[0]!.at
  const end = first + safeNumber(chunk.messageIndexLength)
  if (end > reader.size) throw new DamagedError('An MCAP index is outside of the file.')
  if (readsTimes && end - first <= maxIndexBytes) {
    readMessageIndexes(await reader.readExactly(first, end - first), (channel, ms) =>
      mcap.addMessage(channel, ms),
    )
    return
  }
  for (const [index, { channel, at }] of offsets.entries()) {
    const bytes = (offsets[index + 1]?.at ?? end) - at
    // 9 bytes of record head, 6 of channel and length, then 16 for each message.
    mcap.addMessages(channel, Math.floor((bytes - 15) / 16), startMs, endMs)
  }
}

/** Goes through all records, but reads only schemas, channels, messages and chunks. */
async function scan(reader: BoundedReader, mcap: McapFindings, end: number): Promise<void> {
  mcap.restart()
  for await (const record of walkRecords(reader, magic.length, end)) {
    switch (record.op) {
      case Op.schema:
      case Op.channel:
        mcap.addDefinition(record.op, await record.body(record.bodyBytes))
        break
      case Op.message: {
        const head = await record.body(14)
        mcap.addMessage(head.readUInt16LE(0), msOf(head.readBigUInt64LE(6)))
        break
      }
      case Op.chunk: {
        const chunk = await unpackChunk(record, mcap.findings)
        mcap.includeSpan(chunk.startMs, chunk.endMs)
        if (chunk.records === null) break
        for (const innerRecord of walkChunk(chunk.records)) {
          if (innerRecord.op === Op.message)
            mcap.addMessage(innerRecord.body.readUInt16LE(0), msOf(innerRecord.body.readBigUInt64LE(6)))
          else mcap.addDefinition(innerRecord.op, innerRecord.body)
        }
        break
      }
      case Op.dataEnd:
      case Op.footer:
        return
    }
  }
}

/** Gives the library's parser one record at a time, so that its buffer stays small. */
function parseRecord(parser: McapStreamReader, bytes: Buffer): McapTypes.TypedMcapRecord | undefined {
  if (bytes.length > maxParsedBytes) throw new DamagedError(`A record of ${bytes.length} bytes is too large.`)
  parser.append(bytes)
  return parser.nextRecord()
}

/** Collects channels by their number, because the name of a channel may come after its messages. */
class McapFindings {
  readonly findings: Findings
  readonly chunkPlaces: ChunkPlace[] = []
  readonly #schemas = new Map<number, string>()
  readonly #channelIds = new Set<number>()
  /** At most `MAX_CHANNELS` channels, because a file may define 65,536 channels with long names. */
  readonly #channels = new Map<number, McapChannel>()
  #firstMs: number | null = null
  #lastMs: number | null = null

  constructor(findings: Findings) {
    this.findings = findings
  }

  get channelCount(): number {
    return this.#channelIds.size
  }

  /** Discards the channels of an incomplete summary, because the scan of all records counts them again. */
  restart(): void {
    this.findings.forgetChannels()
    this.#channelIds.clear()
    this.#channels.clear()
    this.#firstMs = null
    this.#lastMs = null
  }

  /** Ignores records that define neither a schema nor a channel. */
  addDefinition(op: number, body: Buffer): void {
    const definition = readDefinition(op, body)
    if (definition?.kind === 'schema') this.#addSchema(definition)
    if (definition?.kind === 'channel') this.#addChannel(definition)
  }

  #addSchema({ id, name }: McapSchema): void {
    if (this.#schemas.size < 10_000) this.#schemas.set(id, name)
  }

  #addChannel(channel: McapChannel): void {
    const { id, topic } = channel
    this.#channelIds.add(id)
    if (this.#channels.size < MAX_CHANNELS || this.#channels.has(id)) this.#channels.set(id, channel)
    this.findings.channel(id, topic)
  }

  addMessage(channel: number, ms: number): void {
    this.includeSpan(ms, ms)
    this.findings.channel(channel).addMessage(ms)
  }

  addMessages(channel: number, count: number, fromMs: number, toMs: number): void {
    this.findings.channel(channel).addMessages(count, fromMs, toMs)
  }

  addStatistics(statistics: McapTypes.Statistics): void {
    if (statistics.messageCount > 0n)
      this.includeSpan(msOf(statistics.messageStartTime), msOf(statistics.messageEndTime))
    for (const id of this.#channelIds) this.findings.channel(id).messages = 0
    for (const [id, count] of statistics.channelMessageCounts)
      this.findings.channel(id).messages = safeNumber(count)
  }

  pictureKinds(): ReadonlyMap<number, PictureKind> {
    const kinds = new Map<number, PictureKind>()
    for (const [id, { schemaId, encoding }] of this.#channels) {
      const kind = pictureKindOf(this.#schemas.get(schemaId), encoding)
      if (kind !== null) kinds.set(id, kind)
    }
    return kinds
  }

  /** In a chunk without messages, both times are zero. */
  includeSpan(fromMs: number, toMs: number): void {
    if (toMs === 0) return
    this.#firstMs = Math.min(this.#firstMs ?? fromMs, fromMs)
    this.#lastMs = Math.max(this.#lastMs ?? toMs, toMs)
  }

  conclude(): void {
    for (const [id, { topic, schemaId, encoding }] of this.#channels)
      this.findings.channel(id, topic, this.#schemas.get(schemaId) ?? (encoding === '' ? null : encoding))
    this.findings.startMs = this.#firstMs
    this.findings.durationS =
      this.#firstMs === null || this.#lastMs === null ? 0 : (this.#lastMs - this.#firstMs) / 1000
    if (this.#firstMs === null) this.findings.warn('no-messages', 'The recording holds no messages.')
  }
}

export const mcap: Format = {
  name: 'mcap',
  // Match the name too, because a recorder that crashed at once leaves fewer bytes than the magic number.
  matches: (head, fileName) => startsWithMagic(head) || fileName.endsWith('.mcap'),
  findEnd,
  inspect,
}
