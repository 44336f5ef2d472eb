import type { Clock } from '../clock/clock.ts'

/** A file with random access. */
export type ByteSource = {
  readonly name: string
  readonly size: number
  /** Reads `length` bytes, or fewer at the end of the file. */
  readonly read: (offset: number, length: number) => Promise<Uint8Array>
  /** Opens a file in the same folder. Null if the file does not exist. */
  readonly openBeside?: (name: string) => Promise<ByteSource | null>
}

export type InspectionLimits = {
  readonly clock: Pick<Clock, 'monotonicMs'>
  /** The time limit for the whole inspection. */
  readonly timeMs: number
  readonly signal?: AbortSignal
}

/** The limit for one read. It keeps the memory of an inspection, including unpacked data, below 64 MB. */
export const MAX_READ_BYTES = 16 << 20
/** Small reads share a buffer of this size, because headers are close together. */
const WINDOW_BYTES = 4096

/** The content contradicts its format. */
export class DamagedError extends Error {}
/** The content may be valid, but reading it would take too much memory. */
export class TooLargeError extends DamagedError {}
/** The content continues beyond the end of the file. */
export class EndOfFileError extends Error {}
export class TimeLimitError extends Error {}
/** The source could not be read. The content is unknown. */
export class SourceError extends Error {}

/** Reads a source within limits. So a forged length cannot cause a large allocation or an endless inspection. */
export class BoundedReader {
  readonly source: ByteSource
  readonly #limits: InspectionLimits
  readonly #endsAtMs: number
  #window: Buffer = Buffer.alloc(0)
  #windowStart = 0

  constructor(source: ByteSource, limits: InspectionLimits) {
    this.source = source
    this.#limits = limits
    this.#endsAtMs = limits.clock.monotonicMs() + limits.timeMs
  }

  get size(): number {
    return this.source.size
  }

  get canOpenBeside(): boolean {
    return this.source.openBeside !== undefined
  }

  /** A reader with the same limits for a file in the same folder. Null if the file does not exist. */
  async openBeside(name: string): Promise<BoundedReader | null> {
    const source = (await this.source.openBeside?.(name)) ?? null
    return source === null ? null : this.#createReader(source)
  }

  /** A reader with its own window, for code that reads at two positions of the file in turn. */
  fork(): BoundedReader {
    return this.#createReader(this.source)
  }

  /** A reader whose positions count from `offset`. */
  from(offset: number): BoundedReader {
    const { source } = this
    return this.#createReader({
      ...source,
      size: source.size - offset,
      read: (at, length) => source.read(offset + at, length),
    })
  }

  #createReader(source: ByteSource): BoundedReader {
    const timeMs = Math.max(0, this.#endsAtMs - this.#limits.clock.monotonicMs())
    return new BoundedReader(source, { ...this.#limits, timeMs })
  }

  /** Throws after the time limit or an abort. Each read calls this method. A loop without reads must call it too. */
  checkTime(): void {
    this.#limits.signal?.throwIfAborted()
    if (this.#limits.clock.monotonicMs() > this.#endsAtMs)
      throw new TimeLimitError('The inspection took too long.')
  }

  /** Reads exactly `length` bytes, or throws. */
  async readExactly(offset: number, length: number): Promise<Buffer> {
    if (offset + length > this.size) throw new EndOfFileError(`The file ends before byte ${offset + length}.`)
    const bytes = await this.readUpTo(offset, length)
    if (bytes.length < length) throw new EndOfFileError(`The file ends at byte ${offset + bytes.length}.`)
    return bytes
  }

  /** Reads `length` bytes, or fewer at the end of the file. */
  async readUpTo(offset: number, length: number): Promise<Buffer> {
    this.checkTime()
    if (!Number.isSafeInteger(offset) || offset < 0 || !(length >= 0))
      throw new DamagedError('A position in the file is invalid.')
    if (length > MAX_READ_BYTES)
      throw new TooLargeError(`A record of ${length} bytes is too large to inspect.`)
    if (length > WINDOW_BYTES) return this.#read(offset, Math.min(length, Math.max(0, this.size - offset)))
    const start = offset - this.#windowStart
    if (start < 0 || start + length > this.#window.length) {
      this.#window = await this.#read(offset, Math.min(WINDOW_BYTES, Math.max(0, this.size - offset)))
      this.#windowStart = offset
      return this.#window.subarray(0, length)
    }
    return this.#window.subarray(start, start + length)
  }

  async #read(offset: number, length: number): Promise<Buffer> {
    if (length === 0) return Buffer.alloc(0)
    let bytes: Uint8Array
    try {
      bytes = await this.source.read(offset, length)
    } catch (error) {
      throw new SourceError('The file could not be read.', { cause: error })
    }
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }
}

/** Converts a 64-bit size or position. If the value is larger than any file, the file is damaged. */
export const safeNumber = (value: bigint): number => {
  if (value > BigInt(Number.MAX_SAFE_INTEGER) || value < 0n) throw new DamagedError(`${value} is too large.`)
  return Number(value)
}
