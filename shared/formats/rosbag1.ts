import { type BoundedReader, DamagedError, EndOfFileError, safeNumber } from './bounded-reader.ts'
import type { Findings } from './findings.ts'
import type { EndMark, Format } from './format.ts'
import { textOf } from './text.ts'

/** http://wiki.ros.org/Bags/Format/2.0 */
const magic = '#ROSBAG V2.0\n'
const Op = { header: 3, index: 4, chunk: 5, chunkInfo: 6, connection: 7 } as const
/**
 * The limit for the header of a record. Only the second header of a connection may be longer, because it contains the
 * message definition.
 */
const maxHeaderBytes = 1 << 20

/**
 * The indexes give the time of each message. Beyond this many bytes of indexes, Sluice uses only the first and the
 * last time of each chunk.
 */
const maxIndexBytes = 3 << 20
/**
 * Sluice does not read the indexes of a shorter chunk, because a gap inside that chunk is too short to matter. Most
 * chunks with pictures are shorter.
 */
const minIndexedChunkMs = 200
/** An index has at most this many bytes before the times of its messages. */
const indexHeadBytes = 64
/** An index has a time of 8 bytes and an offset of 4 bytes for each message. */
const indexEntryBytes = 12
/** For each connection, the chunk info has a number of 4 bytes and a message count of 4 bytes. */
const countBytes = 8

type BagRecord = {
  readonly fields: ReadonlyMap<string, Buffer>
  readonly dataAt: number
  readonly dataBytes: number
  readonly end: number
}

async function readRecord(reader: BoundedReader, at: number): Promise<BagRecord> {
  const headerBytes = (await reader.readExactly(at, 4)).readUInt32LE(0)
  if (headerBytes > maxHeaderBytes) throw new DamagedError('A record of the bag has an invalid header.')
  const header = await reader.readExactly(at + 4, headerBytes)
  const fields = fieldsOf(header)
  const dataAt = at + 4 + headerBytes + 4
  const dataBytes = (await reader.readExactly(dataAt - 4, 4)).readUInt32LE(0)
  if (dataAt + dataBytes > reader.size) throw new EndOfFileError('The bag ends in the middle of a record.')
  return { fields, dataAt, dataBytes, end: dataAt + dataBytes }
}

function fieldsOf(bytes: Buffer): Map<string, Buffer> {
  const fields = new Map<string, Buffer>()
  for (let at = 0; at < bytes.length; ) {
    if (at + 4 > bytes.length) throw new DamagedError('A record of the bag has an invalid header.')
    const length = bytes.readUInt32LE(at)
    const field = bytes.subarray(at + 4, at + 4 + length)
    const equals = field.indexOf('=')
    if (field.length < length || equals === -1)
      throw new DamagedError('A record of the bag has an invalid header.')
    fields.set(field.toString('latin1', 0, equals), field.subarray(equals + 1))
    at += 4 + length
  }
  return fields
}

const readU32 = ({ fields }: BagRecord, name: string): number => {
  const value = fields.get(name)
  if (value?.length !== 4) throw new DamagedError(`A record of the bag lacks its ${name}.`)
  return value.readUInt32LE(0)
}

const readTimeMs = ({ fields }: BagRecord, name: string): number => {
  const value = fields.get(name)
  if (value?.length !== 8) throw new DamagedError(`A record of the bag lacks its ${name}.`)
  return timeMsAt(value, 0)
}

/** A bag stores a time as seconds, then nanoseconds. */
const timeMsAt = (bytes: Buffer, at: number): number =>
  bytes.readUInt32LE(at) * 1000 + bytes.readUInt32LE(at + 4) / 1e6

type BagHeader = { readonly indexAt: number; readonly connections: number; readonly chunks: number }

async function readHeader(reader: BoundedReader): Promise<BagHeader> {
  const record = await readRecord(reader, magic.length)
  const index = record.fields.get('index_pos')
  if (record.fields.get('op')?.[0] !== Op.header || index?.length !== 8)
    throw new DamagedError('The header of the bag is invalid.')
  return {
    indexAt: safeNumber(index.readBigUInt64LE(0)),
    connections: readU32(record, 'conn_count'),
    chunks: readU32(record, 'chunk_count'),
  }
}

/** Visits the index at the end of the bag: connections, then chunks. Throws if the index is incomplete. */
async function walkIndex(
  reader: BoundedReader,
  visit: (op: number, record: BagRecord) => Promise<void>,
): Promise<{ readonly chunks: number }> {
  const header = await readHeader(reader)
  // The recorder writes the offset of the index when it closes the bag.
  if (header.indexAt === 0 || header.indexAt > reader.size) throw new EndOfFileError('The bag has no index.')
  let connections = 0
  let chunks = 0
  for (let at = header.indexAt; at < reader.size; ) {
    const record = await readRecord(reader, at)
    const op = record.fields.get('op')?.[0]
    if (op === Op.connection) connections += 1
    else if (op === Op.chunkInfo) chunks += 1
    else throw new DamagedError('The index of the bag holds an unknown record.')
    await visit(op, record)
    at = record.end
  }
  if (connections !== header.connections || chunks !== header.chunks)
    throw new EndOfFileError('The index of the bag is shorter than its header declares.')
  return { chunks }
}

async function findEnd(reader: BoundedReader): Promise<EndMark> {
  try {
    await walkIndex(reader, async () => {})
    return 'marked'
  } catch (error) {
    if (error instanceof EndOfFileError) return 'cut-off'
    if (error instanceof DamagedError) return 'unmarked'
    throw error
  }
}

async function inspect(reader: BoundedReader, findings: Findings): Promise<void> {
  const indexes = new MessageIndexes(reader.fork())
  const { chunks } = await walkIndex(reader, async (op, record) => {
    if (op === Op.chunkInfo) return readChunkInfo(reader, record, findings, indexes)
    const topic = record.fields.get('topic') ?? Buffer.alloc(0)
    findings.channel(readU32(record, 'conn'), textOf(topic), await typeOf(reader, record)).messages ??= 0
  })
  findings.completeness = 'complete'
  if (chunks === 0) findings.warn('no-messages', 'The recording holds no messages.')
}

/**
 * The message type of a connection. The record's data is a second header, which contains the type. Null if this header
 * is too long or has no type.
 */
async function typeOf(reader: BoundedReader, { dataAt, dataBytes }: BagRecord): Promise<string | null> {
  if (dataBytes > maxHeaderBytes) return null
  const type = fieldsOf(await reader.readExactly(dataAt, dataBytes)).get('type')
  return type === undefined ? null : textOf(type)
}

async function readChunkInfo(
  reader: BoundedReader,
  record: BagRecord,
  findings: Findings,
  indexes: MessageIndexes,
): Promise<void> {
  const [fromMs, toMs] = [readTimeMs(record, 'start_time'), readTimeMs(record, 'end_time')]
  const counts = await reader.readExactly(record.dataAt, record.dataBytes)
  if (counts.length % countBytes !== 0) throw new DamagedError('A chunk of the bag has invalid counts.')
  const times = toMs - fromMs < minIndexedChunkMs ? null : await indexes.timesIn(record, counts)
  for (const [connection, count] of countsIn(counts)) {
    reader.checkTime()
    const channel = findings.channel(connection)
    channel.messages = (channel.messages ?? 0) + count
    const timesMs = times?.get(connection)
    if (timesMs === undefined) channel.addMessages(count, fromMs, toMs)
    else for (const ms of timesMs) channel.addMessage(ms)
  }
}

/** Yields each connection of a chunk with the number of its messages. */
function* countsIn(counts: Buffer): Generator<readonly [connection: number, count: number]> {
  for (let at = 0; at < counts.length; at += countBytes)
    yield [counts.readUInt32LE(at), counts.readUInt32LE(at + 4)]
}

/** The indexes that follow each chunk: one for each connection, with the time of each message. */
class MessageIndexes {
  readonly #reader: BoundedReader
  #bytesLeft = maxIndexBytes

  /** `reader`: a fork, because these indexes are far from the index of the bag. */
  constructor(reader: BoundedReader) {
    this.#reader = reader
  }

  /** Null if the indexes are too large, or if they do not match the chunk. */
  async timesIn(chunkInfo: BagRecord, counts: Buffer): Promise<ReadonlyMap<number, Float64Array> | null> {
    for (const [, count] of countsIn(counts)) this.#bytesLeft -= indexHeadBytes + count * indexEntryBytes
    if (this.#bytesLeft < 0) return null
    const position = chunkInfo.fields.get('chunk_pos')
    if (position?.length !== 8) return null
    const countByConnection = new Map(countsIn(counts))
    // A forged chunk may list a connection several times. The caller would then add the same messages each time.
    if (countByConnection.size < counts.length / countBytes) return null
    try {
      return await this.#read(safeNumber(position.readBigUInt64LE(0)), countByConnection)
    } catch (error) {
      if (error instanceof DamagedError || error instanceof EndOfFileError) return null
      throw error
    }
  }

  async #read(
    chunkAt: number,
    counts: ReadonlyMap<number, number>,
  ): Promise<ReadonlyMap<number, Float64Array> | null> {
    const chunk = await readRecord(this.#reader, chunkAt)
    if (chunk.fields.get('op')?.[0] !== Op.chunk) return null
    const times = new Map<number, Float64Array>()
    let at = chunk.end
    while (times.size < counts.size) {
      const index = await readRecord(this.#reader, at)
      const connection = readU32(index, 'conn')
      const count = counts.get(connection)
      const isExpected = index.fields.get('op')?.[0] === Op.index && !times.has(connection)
      if (!isExpected || count === undefined || index.dataBytes !== count * indexEntryBytes) return null
      const entries = await this.#reader.readExactly(index.dataAt, index.dataBytes)
      const timesMs = Float64Array.from({ length: count }, (_, entry) =>
        timeMsAt(entries, entry * indexEntryBytes),
      )
      times.set(connection, timesMs.sort())
      at = index.end
    }
    return times
  }
}

export const rosbag1: Format = {
  name: 'rosbag1',
  matches: (head) => head.toString('latin1', 0, magic.length) === magic,
  findEnd,
  inspect,
}
