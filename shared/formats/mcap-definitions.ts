import { DamagedError } from './bounded-reader.ts'
import { Op } from './mcap-records.ts'
import { textOf } from './text.ts'

export type McapSchema = { readonly kind: 'schema'; readonly id: number; readonly name: string }
export type McapChannel = {
  readonly kind: 'channel'
  readonly id: number
  readonly schemaId: number
  readonly topic: string
  readonly encoding: string
}

/**
 * Reads a schema or channel record. Null for a different record. The library `@mcap/core` would decode names of any
 * length, but this function cuts them.
 */
export function readDefinition(op: number, body: Buffer): McapSchema | McapChannel | null {
  switch (op) {
    case Op.schema:
      return { kind: 'schema', id: readU16(body, 0), name: textOf(readBytes(body, 2)) }
    case Op.channel: {
      const topic = readBytes(body, 4)
      const encoding = readBytes(body, 8 + topic.length)
      return {
        kind: 'channel',
        id: readU16(body, 0),
        schemaId: readU16(body, 2),
        topic: textOf(topic),
        encoding: textOf(encoding),
      }
    }
    default:
      return null
  }
}

function readU16(body: Buffer, at: number): number {
  if (at + 2 > body.length) throw new DamagedError('An MCAP record is too short.')
  return body.readUInt16LE(at)
}

/** Text in MCAP begins with its length. */
function readBytes(body: Buffer, at: number): Buffer {
  const end = at + 4 > body.length ? Number.POSITIVE_INFINITY : at + 4 + body.readUInt32LE(at)
  if (end > body.length) throw new DamagedError('An MCAP record is too short.')
  return body.subarray(at + 4, end)
}
