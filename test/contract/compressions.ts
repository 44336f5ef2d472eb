import { zstdCompressSync } from 'node:zlib'
import type { Compression } from './sample-files.ts'

export function zstd(chunk: Uint8Array): Compression {
  return { compression: 'zstd', compressedData: zstdCompressSync(chunk) }
}

/**
 * Makes an LZ4 frame with one block. Like the LZ4 library, this function finds a repetition by its first four bytes.
 */
export function lz4(chunk: Uint8Array): Compression {
  const bytes = Buffer.from(chunk)
  const block: number[] = []
  const lastPositions = new Map<number, number>()
  let literalsStart = 0
  const emitSequence = (to: number, match?: { readonly distance: number; readonly length: number }) => {
    const literals = to - literalsStart
    const extraLength = match === undefined ? 0 : match.length - 4
    block.push((Math.min(15, literals) << 4) | Math.min(15, extraLength), ...lengthBytes(literals))
    block.push(...bytes.subarray(literalsStart, to))
    if (match !== undefined)
      block.push(match.distance & 255, match.distance >> 8, ...lengthBytes(extraLength))
  }
  // In this format, no match starts in the last twelve bytes, and the last five bytes are literals.
  for (let at = 0; at + 12 < bytes.length; ) {
    const fourBytes = bytes.readUInt32LE(at)
    const matchAt = lastPositions.get(fourBytes)
    lastPositions.set(fourBytes, at)
    if (matchAt === undefined || at - matchAt > 65_535) {
      at += 1
      continue
    }
    let length = 4
    while (at + length < bytes.length - 5 && bytes[at + length] === bytes[matchAt + length]) length += 1
    emitSequence(at, { distance: at - matchAt, length })
    at += length
    literalsStart = at
  }
  emitSequence(bytes.length)
  const frameHeader = Buffer.from([0x04, 0x22, 0x4d, 0x18, 0x60, 0x70, 0x73, 0, 0, 0, 0])
  frameHeader.writeUInt32LE(block.length, 7)
  return {
    compression: 'lz4',
    compressedData: Buffer.concat([frameHeader, Buffer.from(block), Buffer.alloc(4)]),
  }
}

function lengthBytes(length: number): number[] {
  if (length < 15) return []
  return [...Array<number>(Math.floor((length - 15) / 255)).fill(255), (length - 15) % 255]
}
