import { type BoundedReader, DamagedError, TooLargeError } from './bounded-reader.ts'
import { addressOf, bytesForLimit, numberOf } from './hdf5-address.ts'

const maxObjectBytes = 64 << 10
const maxLevels = 64

/**
 * The fractal heap of HDF5: a table of blocks. The blocks of the first two rows have the same size. In each further
 * row, they are twice as large as in the row before.
 */
export class FractalHeap {
  readonly #reader: BoundedReader
  readonly #offsetBytes: number
  readonly #lengthBytes: number
  readonly #width: number
  readonly #startBytes: number
  /** How many rows hold objects. In the rows after these, each block is again a table of blocks. */
  readonly #objectRows: number
  readonly #rootAt: number
  readonly #isRootTable: boolean

  private constructor(reader: BoundedReader, head: Buffer) {
    this.#reader = reader
    const maxBlockBytes = addressOf(head, 120)
    this.#width = head.readUInt16LE(110)
    this.#startBytes = addressOf(head, 112)
    this.#offsetBytes = Math.ceil(head.readUInt16LE(128) / 8)
    this.#lengthBytes = Math.min(
      Math.ceil(Math.log2(maxBlockBytes) / 8),
      bytesForLimit(head.readUInt32LE(10)),
    )
    this.#objectRows = Math.log2(maxBlockBytes / this.#startBytes) + 2
    this.#rootAt = addressOf(head, 132)
    this.#isRootTable = head.readUInt16LE(140) > 0
    if (this.#width === 0 || this.#startBytes === 0 || !Number.isInteger(this.#objectRows))
      throw new DamagedError('A group of the file has an invalid heap.')
  }

  static async open(reader: BoundedReader, at: number): Promise<FractalHeap> {
    const head = await reader.readExactly(at, 142)
    if (head.toString('latin1', 0, 4) !== 'FRHP') throw new DamagedError('A group of the file has no names.')
    if (head.readUInt16LE(7) > 0) throw new TooLargeError('A group of the file is compressed.')
    return new FractalHeap(reader, head)
  }

  async read(id: Buffer): Promise<Buffer> {
    // HDF5 stores an object outside the blocks if it is too large for them, such as a link with a very long name.
    if ((id[0]! & 0x30) !== 0) throw new TooLargeError('A link in a group is too long to inspect.')
    const length = numberOf(id, 1 + this.#offsetBytes, this.#lengthBytes)
    if (length > maxObjectBytes) throw new TooLargeError(`A link of ${length} bytes is too large to inspect.`)
    return this.#reader.readExactly(await this.#find(numberOf(id, 1, this.#offsetBytes)), length)
  }

  /** Converts an offset in the heap to an address in the file. The heads of the blocks count too. */
  async #find(offset: number): Promise<number> {
    if (!this.#isRootTable) return this.#rootAt + offset
    const rowBytes = this.#width * this.#startBytes
    let tableAt = this.#rootAt
    let rest = offset
    for (let level = 0; level < maxLevels; level += 1) {
      const row = rest < rowBytes ? 0 : Math.floor(Math.log2(rest / rowBytes)) + 1
      const scale = row === 0 ? 1 : 2 ** (row - 1)
      const inRow = row === 0 ? rest : rest - rowBytes * scale
      const column = Math.floor(inRow / (this.#startBytes * scale))
      const entryAt = tableAt + 13 + this.#offsetBytes + (row * this.#width + column) * 8
      const blockAt = addressOf(await this.#reader.readExactly(entryAt, 8), 0)
      rest = inRow - column * this.#startBytes * scale
      if (row < this.#objectRows) return blockAt + rest
      tableAt = blockAt
    }
    throw new DamagedError('A group of the file has an invalid heap.')
  }
}
