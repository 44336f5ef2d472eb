import { DamagedError, TooLargeError } from './bounded-reader.ts'
import { textOf } from './text.ts'

/** https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md */
const Type = {
  stop: 0,
  true: 1,
  false: 2,
  byte: 3,
  double: 7,
  binary: 8,
  list: 9,
  set: 10,
  map: 11,
  struct: 12,
}
const maxDepth = 32

/** One value. The caller must consume it exactly once. */
export type ThriftValue = {
  readonly number: () => number
  /** Limited in length. */
  readonly text: () => string
  readonly list: (maxElements: number, visit: (element: ThriftValue) => void) => void
  readonly struct: (visit: (field: number, value: ThriftValue) => void) => void
  readonly skip: () => void
}

/**
 * Reads Thrift's compact protocol. A forged length does no harm: no memory is allocated for it, and each element needs
 * at least one byte of the input.
 */
export class ThriftReader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  struct(visit: (field: number, value: ThriftValue) => void, depth = 0): void {
    if (depth > maxDepth) throw new DamagedError('The metadata of the file is nested too deeply.')
    let field = 0
    for (;;) {
      const head = this.#byte()
      const type = head & 0x0f
      if (type === Type.stop) return
      field = head >> 4 === 0 ? this.#zigzag() : field + (head >> 4)
      visit(field, this.#value(type, depth, false))
    }
  }

  #value(type: number, depth: number, inList: boolean): ThriftValue {
    return {
      number: () => {
        if (type < Type.byte || type > 6) throw new DamagedError('The metadata of the file lacks a number.')
        return type === Type.byte ? this.#byte() : this.#zigzag()
      },
      text: () => {
        if (type !== Type.binary) throw new DamagedError('The metadata of the file lacks a text.')
        return textOf(this.#take(this.#varint()))
      },
      list: (maxElements, visit) => {
        if (type !== Type.list) throw new DamagedError('The metadata of the file lacks a list.')
        this.#list(depth, maxElements, visit)
      },
      struct: (visit) => {
        if (type !== Type.struct) throw new DamagedError('The metadata of the file lacks a structure.')
        this.struct(visit, depth + 1)
      },
      skip: () => this.#skip(type, depth, inList),
    }
  }

  #list(depth: number, maxElements: number, visit: (element: ThriftValue) => void): void {
    const head = this.#byte()
    const count = head >> 4 === 15 ? this.#varint() : head >> 4
    if (count > this.#bytes.length - this.#at)
      throw new DamagedError('A list in the metadata of the file is too long.')
    if (count > maxElements)
      throw new TooLargeError(
        `A list of ${count} elements in the metadata of the file is too large to inspect.`,
      )
    for (let i = 0; i < count; i += 1) visit(this.#value(head & 0x0f, depth + 1, true))
  }

  #skip(type: number, depth: number, inList: boolean): void {
    switch (type) {
      case Type.true:
      case Type.false:
        // In a structure, the type of a boolean is its value. In a list, each boolean takes a byte.
        if (inList) this.#byte()
        return
      case Type.byte:
        this.#byte()
        return
      case 4:
      case 5:
      case 6:
        this.#varint()
        return
      case Type.double:
        this.#take(8)
        return
      case Type.binary:
        this.#take(this.#varint())
        return
      case Type.list:
      case Type.set:
        if (depth > maxDepth) throw new DamagedError('The metadata of the file is nested too deeply.')
        this.#list(depth, Number.POSITIVE_INFINITY, (element) => element.skip())
        return
      case Type.struct:
        this.struct((_, value) => value.skip(), depth + 1)
        return
      default:
        throw new DamagedError('The metadata of the file holds an unknown type.')
    }
  }

  #byte(): number {
    const byte = this.#bytes[this.#at]
    if (byte === undefined) throw new DamagedError('The metadata of the file ends too early.')
    this.#at += 1
    return byte
  }

  #take(length: number): Buffer {
    if (length > this.#bytes.length - this.#at)
      throw new DamagedError('The metadata of the file ends too early.')
    this.#at += length
    return this.#bytes.subarray(this.#at - length, this.#at)
  }

  /** Exact up to 2^53, which is enough for row counts and lengths. */
  #varint(): number {
    let value = 0
    for (let factor = 1, bytes = 0; bytes < 10; factor *= 128, bytes += 1) {
      const byte = this.#byte()
      value += (byte & 0x7f) * factor
      if (byte < 0x80) return value
    }
    throw new DamagedError('A number in the metadata of the file is too long.')
  }

  #zigzag(): number {
    const value = this.#varint()
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2
  }
}
