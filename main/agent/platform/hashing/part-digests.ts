import { createHash } from 'node:crypto'

/** Computes the digest of each part of a file, from chunks of any size. */
export class PartDigests {
  readonly #partSizeBytes: number
  readonly #sha256: string[] = []
  #hash = createHash('sha256')
  #filledBytes = 0
  #position = 0

  constructor(partSizeBytes: number) {
    this.#partSizeBytes = partSizeBytes
  }

  get position(): number {
    return this.#position
  }

  update(bytes: Uint8Array): void {
    this.#position += bytes.length
    for (let offset = 0; offset < bytes.length; ) {
      const length = Math.min(bytes.length - offset, this.#partSizeBytes - this.#filledBytes)
      this.#hash.update(bytes.subarray(offset, offset + length))
      offset += length
      this.#filledBytes += length
      if (this.#filledBytes === this.#partSizeBytes) this.#endPart()
    }
  }

  /** The last part may be shorter. */
  finish(): readonly string[] {
    if (this.#filledBytes > 0) this.#endPart()
    return this.#sha256
  }

  #endPart(): void {
    this.#sha256.push(this.#hash.digest('hex'))
    this.#hash = createHash('sha256')
    this.#filledBytes = 0
  }
}
