import type { FileHandle } from 'node:fs/promises'

/** One write to disk. */
const blockBytes = 1 << 20
/** How much is written before it is pushed to the disk, so that the last sync has little left to do. */
const syncEveryBytes = 4 << 20
/** One block being written, one waiting; a third is being filled meanwhile. */
const mostWaiting = 2

/** Longer than any chunk of a socket. */
const zeros = Buffer.alloc(1 << 18)

/**
 * Writes a stream of small chunks in order, in few large writes. A block of nothing but zeros becomes a hole where the
 * file system has them, so that a recording that is made of air, as large ones of a test are, takes no room here either.
 */
export class BlockWriter {
  readonly #file: FileHandle
  readonly #onRoom: () => void
  #block: Buffer[] = []
  #blockFilled = 0
  /** Where the block begins in the file. */
  #position = 0
  #waiting = 0
  #unsynced = 0
  #syncing = false
  #written: Promise<void> = Promise.resolve()

  constructor(file: FileHandle, onRoom: () => void) {
    this.#file = file
    this.#onRoom = onRoom
  }

  /** The disk is behind: add no more before `onRoom`. */
  get full(): boolean {
    return this.#waiting >= mostWaiting
  }

  /** The chunk belongs to the writer from now on. */
  add(chunk: Buffer): void {
    this.#block.push(chunk)
    this.#blockFilled += chunk.length
    if (this.#blockFilled >= blockBytes) this.#push()
  }

  /** Resolves when everything is written and synced. */
  async end(): Promise<void> {
    if (this.#blockFilled > 0) this.#push()
    await this.#written
    // The file may end with a hole.
    await this.#file.truncate(this.#position)
    await this.#file.datasync()
  }

  #push(): void {
    const chunks = this.#block
    const bytes = this.#blockFilled
    const position = this.#position
    this.#position += bytes
    this.#block = []
    this.#blockFilled = 0
    this.#waiting += 1
    this.#written = this.#written
      .then(() => (chunks.every(isZero) ? undefined : writeAll(this.#file, chunks, bytes, position)))
      // After a failure too: the body goes on to its end, where the failure is seen.
      .finally(() => {
        for (const chunk of chunks) release(chunk)
        this.#waiting -= 1
        this.#unsynced += bytes
        this.#syncInBackground()
        this.#onRoom()
      })
    this.#written.catch(() => {})
  }

  #syncInBackground(): void {
    if (this.#unsynced < syncEveryBytes || this.#syncing) return
    this.#unsynced = 0
    this.#syncing = true
    const done = () => {
      this.#syncing = false
    }
    // A failure shows again in the last sync, which is waited for.
    this.#file.datasync().then(done, done)
  }
}

const isZero = (chunk: Buffer): boolean => chunk.equals(zeros.subarray(0, chunk.length))

async function writeAll(file: FileHandle, chunks: Buffer[], bytes: number, position: number): Promise<void> {
  const { bytesWritten } = await file.writev(chunks, position)
  // A disk that fills up takes a part of a write without an error; the next one names it.
  if (bytesWritten < bytes)
    await file.write(Buffer.concat(chunks), bytesWritten, bytes - bytesWritten, position + bytesWritten)
}

/**
 * Gives a chunk's memory back now. The collector counts a chunk as a hundred bytes of heap and would let
 * tens of megabytes of dead ones pile up; only a chunk that is alone in its buffer can go.
 */
function release(chunk: Buffer): void {
  const { buffer } = chunk
  if (buffer.byteLength === chunk.byteLength && buffer instanceof ArrayBuffer) buffer.transfer(0)
}
