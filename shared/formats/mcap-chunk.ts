import { crc32, zstdDecompressSync } from 'node:zlib'
import { DamagedError, MAX_READ_BYTES } from './bounded-reader.ts'
import type { Findings } from './findings.ts'
import { unpackLz4Frame } from './lz4-frame.ts'
import { type McapRecord, msOf } from './mcap-records.ts'

const fixedBytes = 8 + 8 + 8 + 4 + 4
const maxNameBytes = 100
/** The unpacked and the packed bytes together stay below 64 MB. */
const maxUnpackedBytes = 2 * MAX_READ_BYTES

/** `records` is null if Sluice cannot unpack the chunk. */
export type Chunk = { readonly startMs: number; readonly endMs: number; readonly records: Buffer | null }

/** Unpacks a chunk. Throws if the chunk is damaged, for example if the result does not match its checksum. */
export async function unpackChunk(record: McapRecord, findings: Findings): Promise<Chunk> {
  const head = await record.body(Math.min(record.bodyBytes, fixedBytes + maxNameBytes + 8))
  if (head.length < fixedBytes + 8) throw new DamagedError('A chunk is too short.')
  const times = { startMs: msOf(head.readBigUInt64LE(0)), endMs: msOf(head.readBigUInt64LE(8)) }
  const size = head.readBigUInt64LE(16)
  const crc = head.readUInt32LE(24)
  const nameBytes = head.readUInt32LE(28)
  const dataAt = fixedBytes + nameBytes + 8
  if (nameBytes > maxNameBytes || dataAt > head.length)
    throw new DamagedError('A chunk has an invalid compression.')
  const compression = head.toString('utf8', fixedBytes, fixedBytes + nameBytes)
  if (head.readBigUInt64LE(dataAt - 8) !== BigInt(record.bodyBytes - dataAt))
    throw new DamagedError('A chunk declares a wrong length.')
  if (record.bodyBytes > MAX_READ_BYTES || size > BigInt(maxUnpackedBytes)) {
    findings.warn('chunk-too-large', `A chunk of ${size} bytes is too large to inspect.`)
    return { ...times, records: null }
  }
  const packed = (await record.body(record.bodyBytes)).subarray(dataAt)
  const unpacked = tryUnpack(packed, compression, Number(size))
  if (unpacked === null) {
    const name = JSON.stringify(compression.slice(0, 40))
    findings.warn(
      'compression-unknown',
      `Chunks have the unknown compression ${name}. Channels inside them are not found.`,
    )
    return { ...times, records: null }
  }
  if (BigInt(unpacked.length) !== size)
    throw new DamagedError(`A chunk has ${unpacked.length} bytes but declares ${size}.`)
  if (crc !== 0 && crc32(unpacked) !== crc) throw new DamagedError('A chunk does not match its checksum.')
  return { ...times, records: unpacked }
}

function tryUnpack(packed: Buffer, compression: string, size: number): Buffer | null {
  try {
    return unpack(packed, compression, size)
  } catch (error) {
    throw new DamagedError('A chunk cannot be unpacked.', { cause: error })
  }
}

function unpack(packed: Buffer, compression: string, size: number): Buffer | null {
  switch (compression) {
    case '':
      return packed
    case 'lz4': {
      const bytes = unpackLz4Frame(packed, size)
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    }
    case 'zstd':
      // Node 24.15 does not throw for a truncated frame, so `unpackChunk` checks the size.
      return packed.length === 0 ? packed : zstdDecompressSync(packed, { maxOutputLength: Math.max(1, size) })
    default:
      return null
  }
}
