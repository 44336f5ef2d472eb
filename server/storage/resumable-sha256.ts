import { createSHA256, type IHasher } from 'hash-wasm'

/**
 * A SHA-256 that one process can save and a different process can load and continue. Node's own hash has no such
 * function.
 */
export class ResumableSha256 {
  readonly #hasher: IHasher

  private constructor(hasher: IHasher) {
    this.#hasher = hasher
  }

  static async create(): Promise<ResumableSha256> {
    return new ResumableSha256((await createSHA256()).init())
  }

  /** Null if the library cannot load the state, for example because an incompatible version saved it. */
  static async load(state: string): Promise<ResumableSha256 | null> {
    const hasher = await createSHA256()
    try {
      return new ResumableSha256(hasher.load(Buffer.from(state, 'base64')))
    } catch {
      return null
    }
  }

  update(chunk: Uint8Array): void {
    this.#hasher.update(chunk)
  }

  /** Base64, about 160 characters. The hash can continue afterwards. */
  save(): string {
    return Buffer.from(this.#hasher.save()).toString('base64')
  }

  digest(): string {
    return this.#hasher.digest('hex')
  }
}
