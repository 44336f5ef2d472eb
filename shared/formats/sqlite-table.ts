import { type BoundedReader, DamagedError } from './bounded-reader.ts'

/**
 * Reads the tables of an SQLite database: https://www.sqlite.org/fileformat.html. An SQLite library would run native
 * code on untrusted bytes, and would need the whole file.
 */

export const SQLITE_MAGIC = 'SQLite format 3\0'
export const SQLITE_HEADER_BYTES = 100
/** SQLite itself refuses deeper trees. */
const MAX_DEPTH = 20
const INTERIOR_PAGE = 5
const LEAF_PAGE = 13
/** Sluice reads neighbouring pages together. The largest page has 64 KiB. */
const MAX_READ_AHEAD_BYTES = 256 << 10
/**
 * Sluice reads ahead if at most this many other pages, such as pages of an index, are between two reads. More pages
 * between two reads mean large messages, which Sluice skips.
 */
const NEAR_PAGES = 4

export type SqliteHeader = {
  readonly pageBytes: number
  /** Zero if the number in the file is out of date. */
  readonly declaredPages: number
  /** Bytes of each page without the part that is reserved for extensions. */
  readonly usableBytes: number
  readonly isUtf8: boolean
}

/** Null if the page size is invalid. Throws if the file is too short. */
export async function readSqliteHeader(reader: BoundedReader): Promise<SqliteHeader | null> {
  const head = await reader.readExactly(0, SQLITE_HEADER_BYTES)
  const field = head.readUInt16BE(16)
  const pageBytes = field === 1 ? 65_536 : field
  const usableBytes = pageBytes - head[20]!
  const isPowerOfTwo = (pageBytes & (pageBytes - 1)) === 0
  if (!isPowerOfTwo || pageBytes < 512 || usableBytes < 480) return null
  // Old SQLite versions do not update the number of pages. After they write, the change counter (byte 24) differs from
  // its copy (byte 92).
  const hasPageCount = head.readUInt32BE(24) === head.readUInt32BE(92)
  return {
    pageBytes,
    declaredPages: hasPageCount ? head.readUInt32BE(28) : 0,
    usableBytes,
    isUtf8: head.readUInt32BE(56) <= 1,
  }
}

/** `payload`: the first bytes of the record. A long record continues on other pages, which Sluice does not read. */
export type SqliteRow = { readonly rowId: number; readonly payload: Buffer }

type Page = {
  readonly bytes: Buffer
  readonly start: number
  readonly isLeaf: boolean
  readonly cells: number
}

/** Reads rows in the order of their row IDs. Keeps one page for each level of the tree. */
export class SqliteTables {
  readonly #reader: BoundedReader
  readonly #header: SqliteHeader
  readonly #pages: number
  #window: Buffer = Buffer.alloc(0)
  #windowStart = 0
  #readAheadBytes = 0

  constructor(reader: BoundedReader, header: SqliteHeader) {
    this.#reader = reader
    this.#header = header
    this.#pages = Math.max(header.declaredPages, Math.ceil(reader.size / header.pageBytes))
  }

  /** Throws at the first page that is missing or does not belong to a table. */
  async *rows(rootPage: number): AsyncGenerator<SqliteRow> {
    // Row IDs must increase, so a forged tree that repeats a page cannot cause an endless loop.
    let lastRowId = Number.NEGATIVE_INFINITY
    const path: { readonly page: Page; next: number }[] = []
    let page = await this.#pageAt(rootPage, true)
    for (;;) {
      if (page.isLeaf) {
        for (let cell = 0; cell < page.cells; cell += 1) {
          const row = this.#rowOf(page, cell)
          if (row.rowId <= lastRowId) throw new DamagedError('The rows of the database are not in order.')
          lastRowId = row.rowId
          yield row
        }
        while (path.length > 0 && path.at(-1)!.next > path.at(-1)!.page.cells) path.pop()
      } else {
        if (path.length >= MAX_DEPTH) throw new DamagedError('The database is nested too deeply.')
        path.push({ page, next: 0 })
      }
      const parent = path.at(-1)
      if (parent === undefined) return
      page = await this.#pageAt(this.#childOf(parent.page, parent.next), false)
      parent.next += 1
    }
  }

  async #pageAt(number: number, isRoot: boolean): Promise<Page> {
    if (number < 1 || number > this.#pages) throw new DamagedError('The database refers to an invalid page.')
    // Each read checks the time limit, but this page may come from an earlier read.
    this.#reader.checkTime()
    const bytes = await this.#readPage((number - 1) * this.#header.pageBytes)
    const start = number === 1 ? SQLITE_HEADER_BYTES : 0
    const kind = bytes[start]
    if (kind !== INTERIOR_PAGE && kind !== LEAF_PAGE)
      throw new DamagedError('A page of the database is damaged.')
    const isLeaf = kind === LEAF_PAGE
    const cells = bytes.readUInt16BE(start + 3)
    const headBytes = isLeaf ? 8 : 12
    // Only the root page of an empty table may have no cells.
    if (cells === 0 && !(isRoot && isLeaf)) throw new DamagedError('A page of the database is damaged.')
    if (start + headBytes + 2 * cells > bytes.length)
      throw new DamagedError('A page of the database is damaged.')
    return { bytes, start, isLeaf, cells }
  }

  /**
   * The pages of a growing table are close together. So a read that begins near the end of the previous read is twice
   * as long, up to `MAX_READ_AHEAD_BYTES`.
   */
  async #readPage(at: number): Promise<Buffer> {
    const { pageBytes } = this.#header
    const from = at - this.#windowStart
    if (from >= 0 && from + pageBytes <= this.#window.length)
      return this.#window.subarray(from, from + pageBytes)
    const distance = from - this.#window.length
    const isNear = distance >= 0 && distance <= NEAR_PAGES * pageBytes
    this.#readAheadBytes = isNear ? Math.min(2 * this.#readAheadBytes, MAX_READ_AHEAD_BYTES) : pageBytes
    const length = Math.max(pageBytes, Math.min(this.#readAheadBytes, this.#reader.size - at))
    this.#window = await this.#reader.readExactly(at, length)
    this.#windowStart = at
    return this.#window.subarray(0, pageBytes)
  }

  /** The page number of the child at `index`. The head of the parent page contains the number of its last child. */
  #childOf({ bytes, start, cells }: Page, index: number): number {
    return index === cells
      ? bytes.readUInt32BE(start + 8)
      : readU32(bytes, bytes.readUInt16BE(start + 12 + 2 * index))
  }

  #rowOf({ bytes, start }: Page, index: number): SqliteRow {
    const { usableBytes } = this.#header
    const cell = new VarintReader(bytes, bytes.readUInt16BE(start + 8 + 2 * index))
    const payloadBytes = cell.next()
    const rowId = cell.next()
    const localBytes = localBytesOf(payloadBytes, usableBytes)
    if (cell.at + localBytes > usableBytes) throw new DamagedError('A row of the database is damaged.')
    if (localBytes < payloadBytes) {
      const overflowPage = readU32(bytes, cell.at + localBytes)
      if (overflowPage < 2 || overflowPage > this.#pages)
        throw new DamagedError('A row of the database is damaged.')
    }
    return { rowId, payload: bytes.subarray(cell.at, cell.at + localBytes) }
  }
}

/** How many bytes of a record are on the page itself. */
const localBytesOf = (payloadBytes: number, usableBytes: number): number => {
  const maxBytes = usableBytes - 35
  if (payloadBytes <= maxBytes) return payloadBytes
  const minBytes = Math.floor(((usableBytes - 12) * 32) / 255) - 23
  const bytes = minBytes + ((payloadBytes - minBytes) % (usableBytes - 4))
  return bytes <= maxBytes ? bytes : minBytes
}

const readU32 = (bytes: Buffer, at: number): number => {
  if (at + 4 > bytes.length) throw new DamagedError('A page of the database is damaged.')
  return bytes.readUInt32BE(at)
}

/** Reads numbers of one to eight bytes. Only negative and very large numbers have a ninth byte. No bag has them. */
class VarintReader {
  readonly #bytes: Buffer
  at: number

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes
    this.at = at
  }

  next(): number {
    let value = 0
    for (let length = 0; length < 8 && this.at < this.#bytes.length; length += 1) {
      const byte = this.#bytes[this.at]!
      this.at += 1
      value = value * 128 + (byte & 0x7f)
      if (byte < 0x80) return value
    }
    throw new DamagedError('A number of the database is damaged.')
  }
}

export type SqliteValue = number | Buffer | null

const integerBytes = [0, 1, 2, 3, 4, 6, 8]

/** The first `count` columns of a record. A text that continues on a different page is cut. */
export const readColumns = (payload: Buffer, count: number): readonly SqliteValue[] => {
  const types = new VarintReader(payload, 0)
  let at = types.next()
  const headEnd = at
  const values: SqliteValue[] = []
  while (values.length < count && types.at < headEnd) {
    const type = types.next()
    if (type === 10 || type === 11) throw new DamagedError('A row of the database is damaged.')
    const bytes = type >= 12 ? Math.floor((type - 12) / 2) : type === 7 ? 8 : (integerBytes[type] ?? 0)
    if (type < 12 && at + bytes > payload.length) throw new DamagedError('A row of the database is damaged.')
    values.push(readValue(payload, at, type, bytes))
    at += bytes
  }
  return values
}

const readValue = (payload: Buffer, at: number, type: number, bytes: number): SqliteValue => {
  switch (type) {
    case 0:
    // Type 7 is a floating-point number, which no bag has.
    case 7:
      return null
    case 6:
      return payload.readInt32BE(at) * 2 ** 32 + payload.readUInt32BE(at + 4)
    case 8:
      return 0
    case 9:
      return 1
    default:
      return type < 12 ? payload.readIntBE(at, bytes) : payload.subarray(at, at + bytes)
  }
}
