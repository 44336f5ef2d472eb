import { createHmac, timingSafeEqual } from 'node:crypto'

const tagBytes = 8

/**
 * Returns a signed cursor (§2.5). It names the row where the page ends, so that new or deleted sessions do not shift
 * later pages.
 */
export function writeCursor(secret: Buffer, seq: number): string {
  const body = Buffer.alloc(8)
  body.writeBigUInt64BE(BigInt(seq))
  return Buffer.concat([body, computeTag(secret, body)]).toString('base64url')
}

export function readCursor(secret: Buffer, cursor: string): number | null {
  const bytes = Buffer.from(cursor, 'base64url')
  if (bytes.length !== 8 + tagBytes || bytes.toString('base64url') !== cursor) return null
  const body = bytes.subarray(0, 8)
  if (!timingSafeEqual(bytes.subarray(8), computeTag(secret, body))) return null
  return Number(body.readBigUInt64BE())
}

function computeTag(secret: Buffer, body: Buffer): Buffer {
  return createHmac('sha256', secret).update('cursor').update(body).digest().subarray(0, tagBytes)
}
