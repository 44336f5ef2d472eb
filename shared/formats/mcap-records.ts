import {
  type BoundedReader,
  DamagedError,
  EndOfFileError,
  MAX_READ_BYTES,
  safeNumber,
} from './bounded-reader.ts'

/** https://mcap.dev/spec#records */
export const Op = {
  header: 0x01,
  footer: 0x02,
  schema: 0x03,
  channel: 0x04,
  message: 0x05,
  chunk: 0x06,
  messageIndex: 0x07,
  chunkIndex: 0x08,
  statistics: 0x0b,
  dataEnd: 0x0f,
} as const

export const headBytes = 9

export type McapRecord = {
  readonly op: number
  readonly bodyBytes: number
  /** Reads the first `length` bytes of the body. */
  readonly body: (length: number) => Promise<Buffer>
  /** Reads the whole record with its head. */
  readonly bytes: () => Promise<Buffer>
}

/** Reads only the head of each record, so a large attachment needs no memory. */
export async function* walkRecords(
  reader: BoundedReader,
  from: number,
  to: number,
): AsyncGenerator<McapRecord> {
  for (let at = from; at < to; ) {
    const head = await reader.readExactly(at, headBytes)
    const start = at
    const bodyBytes = lengthOf(head)
    const end = at + headBytes + bodyBytes
    if (end > to) throw new EndOfFileError('The file ends in the middle of a record.')
    yield {
      op: head[0]!,
      bodyBytes,
      body: (length) => {
        if (length > bodyBytes) throw new DamagedError('A record is too short.')
        return reader.readExactly(start + headBytes, length)
      },
      bytes: () => reader.readExactly(start, headBytes + bodyBytes),
    }
    at = end
  }
}

/** The records of an unpacked chunk. */
export function* walkChunk(records: Buffer): Generator<{ op: number; body: Buffer }> {
  for (let at = 0; at < records.length; ) {
    if (at + headBytes > records.length) throw new DamagedError('A chunk ends in the middle of a record.')
    const op = records[at]!
    const end = at + headBytes + lengthOf(records.subarray(at, at + headBytes))
    if (end > records.length) throw new DamagedError('A chunk ends in the middle of a record.')
    if (op === Op.chunk || op === Op.header || op === Op.footer)
      throw new DamagedError('A chunk holds a record that does not belong there.')
    const body = records.subarray(at + headBytes, end)
    if (op === Op.message && body.length < 22) throw new DamagedError('A message is too short.')
    yield { op, body }
    at = end
  }
}

const lengthOf = (head: Buffer): number => {
  const length = head.readBigUInt64LE(1)
  if (length > BigInt(Number.MAX_SAFE_INTEGER - 2 * MAX_READ_BYTES))
    throw new DamagedError(`A record of ${length} bytes is too large.`)
  return safeNumber(length)
}

/** Calls `visit` for each message in the given message indexes, for each index in the order of time. */
export function readMessageIndexes(indexes: Buffer, visit: (channel: number, ms: number) => void): void {
  for (const { op, body } of walkChunk(indexes)) {
    if (op !== Op.messageIndex || body.length < 6) throw new DamagedError('An MCAP index is invalid.')
    const entries = body.subarray(6)
    if (body.readUInt32LE(2) !== entries.length) throw new DamagedError('An MCAP index is invalid.')
    const channel = body.readUInt16LE(0)
    const count = Math.floor(entries.length / 16)
    // Almost every recorder writes the times in order. Sort only if necessary: 500,000 entries would take 100 ms.
    if (isInOrder(entries, count))
      for (let entry = 0; entry < count; entry += 1) visit(channel, entryMs(entries, entry))
    else {
      const times = Float64Array.from({ length: count }, (_, entry) => entryMs(entries, entry)).sort()
      for (const ms of times) visit(channel, ms)
    }
  }
}

const entryMs = (entries: Buffer, entry: number): number =>
  (entries.readUInt32LE(entry * 16 + 4) * 2 ** 32 + entries.readUInt32LE(entry * 16)) / 1e6

const isInOrder = (entries: Buffer, count: number): boolean => {
  for (let entry = 1; entry < count; entry += 1)
    if (entryMs(entries, entry) < entryMs(entries, entry - 1)) return false
  return true
}

/** Converts nanoseconds to milliseconds with decimals. */
export const msOf = (ns: bigint): number => Number(ns) / 1e6
