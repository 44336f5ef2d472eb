/**
 * Maps the next 16 bits of the scan to the length of the code (high byte) and its symbol (low byte). 0 means that the
 * bits do not begin with a valid code.
 */
export type HuffmanTable = Uint16Array

/**
 * `counts`: the number of codes of each length, from 1 to 16 bits. Forged counts do no harm, because `fill` never
 * writes outside the array.
 */
export const huffmanTable = (counts: Uint8Array, symbols: Uint8Array): HuffmanTable => {
  const table = new Uint16Array(1 << 16)
  let start = 0
  let index = 0
  for (let length = 1; length <= 16; length += 1)
    for (let code = 0; code < counts[length - 1]!; code += 1) {
      const end = start + (1 << (16 - length))
      table.fill((length << 8) | (symbols[index] ?? 0), start, end)
      start = end
      index += 1
    }
  return table
}

/** Reads the bits of a JPEG scan. After the end of the scan, the reader returns zeros. */
export class JpegBits {
  readonly #bytes: Uint8Array
  #at: number
  #buffer = 0
  #bufferedBits = 0
  /** How many zero bits `#fill` has added after the end of the scan, including those that are already used. */
  #paddingBits = 0
  #hasInvalidCode = false

  constructor(bytes: Uint8Array, start: number) {
    this.#bytes = bytes
    this.#at = start
  }

  /** Whether the reader has used bits after the end of the scan, or has found an invalid code. */
  get isExhausted(): boolean {
    return this.#hasInvalidCode || this.#paddingBits > this.#bufferedBits
  }

  /** Reads by how much the mean of this block differs from the mean of the block before. */
  readDifference(table: HuffmanTable): number {
    const bits = this.#readSymbol(table)
    if (bits === 0 || bits > 16) return 0
    const value = this.#read(bits)
    return value < 1 << (bits - 1) ? value - (1 << bits) + 1 : value
  }

  /** Skips the remaining 63 coefficients of a block. Returns whether any of them is not zero. */
  skipDetails(table: HuffmanTable): boolean {
    let hasDetails = false
    for (let coefficient = 1; coefficient < 64; coefficient += 1) {
      const symbol = this.#readSymbol(table)
      const bits = symbol & 15
      if (bits === 0) {
        // 0xf0: sixteen zeros. Any other symbol without bits ends the block.
        if (symbol !== 0xf0) return hasDetails
        coefficient += 15
        continue
      }
      hasDetails = true
      coefficient += symbol >> 4
      this.#read(bits)
    }
    return hasDetails
  }

  /** Continues after a restart marker. False if there is none. */
  restart(): boolean {
    const marker = this.#bytes[this.#at + 1] ?? 0
    if (this.#bytes[this.#at] !== 0xff || marker < 0xd0 || marker > 0xd7) return false
    this.#at += 2
    this.#buffer = 0
    this.#bufferedBits = 0
    this.#paddingBits = 0
    return true
  }

  #readSymbol(table: HuffmanTable): number {
    this.#fill()
    const entry = table[(this.#buffer >>> (this.#bufferedBits - 16)) & 0xffff]!
    if (entry === 0) this.#hasInvalidCode = true
    this.#bufferedBits -= entry >> 8
    return entry & 0xff
  }

  #read(count: number): number {
    this.#fill()
    this.#bufferedBits -= count
    return (this.#buffer >>> this.#bufferedBits) & ((1 << count) - 1)
  }

  /** Afterwards, the buffer has at least 16 bits. */
  #fill(): void {
    while (this.#bufferedBits < 16) {
      let byte = this.#bytes[this.#at]
      if (byte === 0xff) {
        // In a scan, 0xff 0x00 stands for the byte 0xff. 0xff before any other byte is a marker.
        if (this.#bytes[this.#at + 1] === 0) this.#at += 2
        else byte = undefined
      } else this.#at += 1
      if (byte === undefined) this.#paddingBits += 8
      this.#buffer = (this.#buffer << 8) | (byte ?? 0)
      this.#bufferedBits += 8
    }
  }
}
