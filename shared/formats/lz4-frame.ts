/** https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md */
const magic = 0x184d2204
const storedBlock = 0x8000_0000

/**
 * Unpacks LZ4 frames of MCAP chunks. Throws if the result does not have exactly `size` bytes. The npm packages for
 * this are native, abandoned, or refuse every file after a damaged one. Ignores the checksums of LZ4, because chunks
 * usually have a checksum of their own.
 */
export function unpackLz4Frame(packed: Uint8Array, size: number): Uint8Array {
  const input = new DataView(packed.buffer, packed.byteOffset, packed.byteLength)
  const output = new Uint8Array(size)
  let filledBytes = 0
  let at = 0
  while (at < packed.byteLength) {
    if (input.getUint32(at, true) !== magic) throw new Error('not an LZ4 frame')
    const flags = input.getUint8(at + 4)
    if (flags >> 6 !== 1 || (flags & 0b1) !== 0) throw new Error('an LZ4 frame of an unknown kind')
    const hasBlockChecksums = (flags & 0x10) !== 0
    const hasContentSize = (flags & 0x08) !== 0
    const hasContentChecksum = (flags & 0x04) !== 0
    at += 7 + (hasContentSize ? 8 : 0)
    for (;;) {
      const head = input.getUint32(at, true)
      at += 4
      if (head === 0) break
      const length = head & ~storedBlock
      const block = packed.subarray(at, at + length)
      if (block.length !== length) throw new Error('an LZ4 block ends too early')
      if (head >>> 31 === 1) {
        output.set(block, filledBytes)
        filledBytes += length
      } else filledBytes = unpackBlock(block, output, filledBytes)
      at += length + (hasBlockChecksums ? 4 : 0)
    }
    at += hasContentChecksum ? 4 : 0
  }
  if (filledBytes !== size) throw new Error(`an LZ4 frame has ${filledBytes} bytes instead of ${size}`)
  return output
}

/** In a block, literal bytes and copies of earlier output take turns. It ends with literals. */
function unpackBlock(block: Uint8Array, output: Uint8Array, start: number): number {
  let at = 0
  let filledBytes = start
  const readByte = () => {
    const next = block[at++]
    if (next === undefined) throw new Error('an LZ4 block ends too early')
    return next
  }
  const readLength = (nibble: number) => {
    let sum = nibble
    if (nibble === 15) for (let next = 255; next === 255; sum += next) next = readByte()
    return sum
  }
  while (at < block.length) {
    const token = readByte()
    const literals = readLength(token >> 4)
    if (at + literals > block.length || filledBytes + literals > output.length)
      throw new Error('an LZ4 block has literals of a wrong length')
    output.set(block.subarray(at, at + literals), filledBytes)
    at += literals
    filledBytes += literals
    if (at === block.length) break
    const distance = readByte() | (readByte() << 8)
    const copyLength = readLength(token & 15) + 4
    if (distance === 0 || distance > filledBytes || filledBytes + copyLength > output.length)
      throw new Error('an LZ4 block refers to bytes outside of its output')
    // A copy that overlaps its source repeats a short run of bytes, so it must go byte by byte.
    if (distance >= copyLength)
      output.copyWithin(filledBytes, filledBytes - distance, filledBytes - distance + copyLength)
    else for (let n = 0; n < copyLength; n += 1) output[filledBytes + n] = output[filledBytes + n - distance]!
    filledBytes += copyLength
  }
  return filledBytes
}
