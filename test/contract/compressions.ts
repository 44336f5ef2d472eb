import { zstdCompressSync } from 'node:zlib'
import type { Compression } from './sample-files.ts'

export function zstd(chunk: Uint8Array): Compression {
  return { compression: 'zstd', compressedData: zstdCompressSync(chunk) }
}

/** An LZ4 frame of one block. Finds the longest repetition by its next four bytes, as LZ4 does. */
export function lz4(chunk: Uint8Array): Compression {
  const bytes = Buffer.from(chunk)
  const block: number[] = []
  const seen = new Map<number, number>()
  let literalsFrom = 0
  const emit = (to: number, match?: { readonly distance: number; readonly length: number }) => {
    const literals = to - literalsFrom
    const extra = match === undefined ? 0 : match.length - 4
    block.push((Math.min(15, literals) << 4) | Math.min(15, extra), ...lengthBytes(literals))
    block.push(...bytes.subarray(literalsFrom, to))
    if (match !== undefined) block.push(match.distance & 255, match.distance >> 8, ...lengthBytes(extra))
  }
  // The format requires the last five bytes as literals.
  for (let at = 0; at + 12 < bytes.length; ) {
    const next = bytes.readUInt32LE(at)
    const before = seen.get(next)
    seen.set(next, at)
    if (before === undefined || at - before > 65_535) {
      at += 1
      continue
    }
    let length = 4
    while (at + length < bytes.length - 5 && bytes[at + length] === bytes[before + length]) length += 1
    emit(at, { distance: at - before, length })
    at += length
    literalsFrom = at
  }
  emit(bytes.length)
  const head = Buffer.from([0x04, 0x22, 0x4d, 0x18, 0x60, 0x70, 0x73, 0, 0, 0, 0])
  head.writeUInt32LE(block.length, 7)
  return { compression: 'lz4', compressedData: Buffer.concat([head, Buffer.from(block), Buffer.alloc(4)]) }
}

function lengthBytes(length: number): number[] {
  if (length < 15) return []
  return [...Array<number>(Math.floor((length - 15) / 255)).fill(255), (length - 15) % 255]
}
