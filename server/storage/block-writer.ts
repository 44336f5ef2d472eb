import type { FileHandle } from 'node:fs/promises'

const blockBytes = 1 << 20
/** The writer syncs after this many bytes, so that the last sync is short. */
const syncEveryBytes = 4 << 20
/** One block is being written, one waits, and a third is being filled. */
const maxWaitingBlocks = 2

/** Longer than any chunk from a socket. */
const zeros = Buffer.alloc(1 << 18)

/**
 * Combines small chunks into a few large writes. A block of zeros becomes a hole in the file, so the large recordings
 * of the tests, which are mostly zeros, take little disk space.
 */
export class BlockWriter {
  readonly #file: FileHandle
  readonly #onDrain: () => void
  #block: Buffer[] = []
  #filledBytes = 0
  /** Offset of the block in the file. */
  #position = 0
  #waitingBlocks = 0
  #unsyncedBytes = 0
  #isSyncing = false
  #lastWrite: Promise<void> = Promise.resolve()
  /** Stays rejected after the first failed sync, because the system reports a lost write only once. */
  #lastSync: Promise<void> = Promise.resolve()

  constructor(file: FileHandle, onDrain: () => void) {
    this.#file = file
    this.#onDrain = onDrain
  }

  /** True if the disk is slower than the stream: add nothing until `onDrain`. */
  get isFull(): boolean {
    return this.#waitingBlocks >= maxWaitingBlocks
  }

  /** Takes ownership of the chunk. */
  add(chunk: Buffer): void {
    this.#block.push(chunk)
    this.#filledBytes += chunk.length
    if (this.#filledBytes >= blockBytes) this.#push()
  }

  /** Resolves when everything is written and synced. */
  async end(): Promise<void> {
    if (this.#filledBytes > 0) this.#push()
    await this.#lastWrite
    // If the file ends with a hole, no write has extended the file to its full length.
    await this.#file.truncate(this.#position)
    await this.#lastSync
    await this.#file.datasync()
  }

  #push(): void {
    const chunks = this.#block
    const bytes = this.#filledBytes
    const position = this.#position
    this.#position += bytes
    this.#block = []
    this.#filledBytes = 0
    this.#waitingBlocks += 1
    this.#lastWrite = this.#lastWrite
      .then(() => (chunks.every(isZero) ? undefined : writeAll(this.#file, chunks, bytes, position)))
      // After a failed write, the caller still adds the rest of the body. Its blocks are freed without being written,
      // and `end` throws the error.
      .finally(() => {
        for (const chunk of chunks) release(chunk)
        this.#waitingBlocks -= 1
        this.#unsyncedBytes += bytes
        this.#syncInBackground()
        this.#onDrain()
      })
    this.#lastWrite.catch(() => {})
  }

  #syncInBackground(): void {
    if (this.#unsyncedBytes < syncEveryBytes || this.#isSyncing) return
    this.#unsyncedBytes = 0
    this.#isSyncing = true
    this.#lastSync = this.#lastSync
      .then(() => this.#file.datasync())
      .finally(() => {
        this.#isSyncing = false
      })
    this.#lastSync.catch(() => {})
  }
}

const isZero = (chunk: Buffer): boolean => chunk.equals(zeros.subarray(0, chunk.length))

async function writeAll(file: FileHandle, chunks: Buffer[], bytes: number, position: number): Promise<void> {
  let { bytesWritten } = await file.writev(chunks, position)
  if (bytesWritten === bytes) return
  // On a full disk, a write may stop early without an error. A later write then throws the error.
  const all = Buffer.concat(chunks)
  while (bytesWritten < bytes) {
    const rest = await file.write(all, bytesWritten, bytes - bytesWritten, position + bytesWritten)
    if (rest.bytesWritten === 0) throw new Error('the drive takes no more bytes')
    bytesWritten += rest.bytesWritten
  }
}

/**
 * Frees the memory of a chunk now. The garbage collector sees only a hundred bytes per chunk, so it would let tens of
 * megabytes accumulate. Works only for a chunk with a buffer of its own.
 */
function release(chunk: Buffer): void {
  const { buffer } = chunk
  if (buffer.byteLength === chunk.byteLength && buffer instanceof ArrayBuffer) buffer.transfer(0)
}
