import { createHash } from 'node:crypto'
import { ContentSamples, type ReadAt } from './content-samples.ts'
import { slotBytes } from './hash-ring.ts'

/**
 * Hard case: A recorder goes back and rewrites the beginning of its file (WAV, MP4 and some MCAP writers).
 * When the recording is finished, Sluice reads the first part again and compares samples of the rest. If anything
 * differs, it reads the whole file again. If the samples miss a change, the storage refuses the changed part, because
 * its checksum does not match (§4.2). After a recorder has rewritten two files in a row, Sluice hashes its next files
 * only when they are finished.
 */

/** The running digest of a whole file, and the samples that show whether the hashed content is unchanged. */
export class WholeDigest {
  readonly #hash = createHash('sha256')
  readonly #samples: ContentSamples
  readonly #headBytes: number
  /** The digest of the first `#headBytes` bytes. Null until that many bytes are hashed. */
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
   * Reads the whole first part again, and compares samples of the rest. Returns 0 for a change in the first part, the
   * position of the first changed sample, or null.
   */
  findFirstChange(read: ReadAt): number | null {
    const expected = this.#head ?? this.#hash.copy().digest('hex')
    const head = createHash('sha256')
    for (let position = 0; position < Math.min(this.#headBytes, this.#position); position += slotBytes)
      head.update(read(position, slotBytes))
    return head.digest('hex') === expected ? this.#samples.compare(read) : 0
  }
}
