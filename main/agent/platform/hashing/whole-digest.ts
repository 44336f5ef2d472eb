import { createHash } from 'node:crypto'
import { ContentSamples, type ReadAt } from './content-samples.ts'
import { slotBytes } from './hash-ring.ts'

/**
 * Hard case: A recorder rewrites its beginning (WAV, some MP4 and MCAP writers).
 * At the end Sluice reads the first part again and compares samples of the rest. If anything differs, it
 * reads the whole file. If no sample shows a change, the storage refuses the part (§4.2). After two such
 * files, Sluice does not hash the recorder's next file while it grows.
 */

/** The running digest of a whole file, and the samples that show whether the hashed content is unchanged. */
export class WholeDigest {
  readonly #hash = createHash('sha256')
  readonly #samples: ContentSamples
  /** The first part, rounded up to whole slots. Its digest is a copy of the running one at that position. */
  readonly #headBytes: number
  #head: string | null = null
  #position = 0

  constructor(partSizeBytes: number, random: () => number) {
    this.#samples = new ContentSamples(random)
    this.#headBytes = Math.ceil(partSizeBytes / slotBytes) * slotBytes
  }

  get position(): number {
    return this.#position
  }

  /** Takes whole slots. Only the last slot of the file may be shorter. */
  update(slot: Uint8Array): void {
    this.#samples.take(this.#position / slotBytes, this.#position, slot)
    this.#hash.update(slot)
    this.#position += slot.length
    if (this.#position === this.#headBytes) this.#head = this.#hash.copy().digest('hex')
  }

  finish(): string {
    return this.#hash.digest('hex')
  }

  /** A quick check for writers that overwrite hashed content. Returns the position of a change, or null. */
  spotCheck(read: ReadAt): number | null {
    return this.#samples.spotCheck(read)
  }

  /**
   * Compares the first part byte by byte, because WAV, MP4 and some MCAP writers go back there when they close.
   * Compares the rest by samples. Returns the position of a change, or null.
   */
  firstChange(read: ReadAt): number | null {
    const known = this.#head ?? this.#hash.copy().digest('hex')
    const head = createHash('sha256')
    for (let position = 0; position < Math.min(this.#headBytes, this.#position); position += slotBytes)
      head.update(read(position, slotBytes))
    return head.digest('hex') === known ? this.#samples.compare(read) : 0
  }
}
