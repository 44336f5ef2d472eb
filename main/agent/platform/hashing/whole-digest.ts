import { createHash } from 'node:crypto'
import { ContentSamples, type ReadAt } from './content-samples.ts'
import { slotBytes } from './hash-ring.ts'

/** The digest of a whole file, as far as it has come, and what it takes to tell that this much is still as it was. */
export class WholeDigest {
  readonly #hash = createHash('sha256')
  readonly #samples: ContentSamples
  /** The first part in whole slots. Its digest is the running one's when it stands there. */
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

  /** Whole slots, until the last of the file. */
  update(slot: Uint8Array): void {
    this.#samples.take(this.#position / slotBytes, this.#position, slot)
    this.#hash.update(slot)
    this.#position += slot.length
    if (this.#position === this.#headBytes) this.#head = this.#hash.copy().digest('hex')
  }

  finish(): string {
    return this.#hash.digest('hex')
  }

  /** A look at what a writer would have changed, if it goes back to what it wrote; null where all is as it was. */
  glance(read: ReadAt): number | null {
    return this.#samples.glance(read)
  }

  /**
   * The first part again, or what there is of it, byte by byte: that is where WAV, MP4 and some MCAP writers go back to
   * when they close. Of the rest the samples. Null where all is as it was.
   */
  staleAt(read: ReadAt): number | null {
    const known = this.#head ?? this.#hash.copy().digest('hex')
    const head = createHash('sha256')
    for (let position = 0; position < Math.min(this.#headBytes, this.#position); position += slotBytes)
      head.update(read(position, slotBytes))
    return head.digest('hex') === known ? this.#samples.compare(read) : 0
  }
}
