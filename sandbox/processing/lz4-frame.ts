/** https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md */
const magic = 0x184d2204
const storedBlock = 0x8000_0000

/**
 * Unpacks LZ4 frames, as MCAP chunks hold them. Written here because it is small and because what the registry
 * has is either native, abandoned, or refuses every file after the first damaged one. Checksums are passed over:
 * the chunk around it has its own. Throws on anything that does not give exactly `size` bytes.
 */
export function unpackLz4Frame(packed: Uint8Array, size: number): Uint8Array {
  const input = new DataView(packed.buffer, packed.byteOffset, packed.byteLength)
  const output = new Uint8Array(size)
  let filled = 0
  let at = 0
  while (at < packed.byteLength) {
    if (input.getUint32(at, true) !== magic) throw new Error('not an LZ4 frame')
    const flags = input.getUint8(at + 4)
    if (flags >> 6 !== 1 || (flags & 0b1) !== 0) throw new Error('an LZ4 frame of an unknown kind')
    const [blockChecksum, contentSize, contentChecksum] = [flags & 0x10, flags & 0x08, flags & 0x04]
    at += 7 + (contentSize === 0 ? 0 : 8)
    for (;;) {
      const head = input.getUint32(at, true)
      at += 4
      if (head === 0) break
      const length = head & ~storedBlock
      const block = packed.subarray(at, at + length)
      if (block.length !== length) throw new Error('an LZ4 block ends too early')
      if (head >>> 31 === 1) {
        output.set(block, filled)
        filled += length
      } else filled = unpackBlock(block, output, filled)
      at += length + (blockChecksum === 0 ? 0 : 4)
    }
    at += contentChecksum === 0 ? 0 : 4
  }
  if (filled !== size) throw new Error(`an LZ4 frame of ${filled} bytes where ${size} were promised`)
  return output
}

/** One block: literals, then a copy of what was unpacked before, and so on; the last has literals only. */
function unpackBlock(block: Uint8Array, output: Uint8Array, start: number): number {
  let at = 0
  let filled = start
  const byte = () => {
    const next = block[at++]
    if (next === undefined) throw new Error('an LZ4 block ends too early')
    return next
  }
  const length = (nibble: number) => {
    let sum = nibble
    if (nibble === 15) for (let more = 255; more === 255; sum += more) more = byte()
    return sum
  }
  while (at < block.length) {
    const token = byte()
    const literals = length(token >> 4)
    if (at + literals > block.length || filled + literals > output.length)
      throw new Error('an LZ4 block promises more than it holds')
    output.set(block.subarray(at, at + literals), filled)
    at += literals
    filled += literals
    if (at === block.length) break
    const distance = byte() | (byte() << 8)
    const copied = length(token & 15) + 4
    if (distance === 0 || distance > filled || filled + copied > output.length)
      throw new Error('an LZ4 block points outside of what it unpacks to')
    // Byte by byte where the two overlap: that is how a short run is repeated.
    if (distance >= copied) output.copyWithin(filled, filled - distance, filled - distance + copied)
    else for (let n = 0; n < copied; n += 1) output[filled + n] = output[filled + n - distance]!
    filled += copied
  }
  return filled
}
