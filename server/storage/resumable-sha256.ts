import { createSHA256, type IHasher } from 'hash-wasm'
import { OpenSslSha256 } from './openssl-sha256.ts'

/**
 * A SHA-256 that one process can save and a different process can load and continue. Node's own hash cannot be saved.
 */
export type ResumableSha256 = {
  /** As fast as Node's own hash. */
  readonly isFast: boolean
  readonly update: (chunk: Uint8Array) => void
  /** About 160 characters. The hash can continue afterwards. */
  readonly save: () => string
  readonly digest: () => string
}

export const createResumableSha256 = async (): Promise<ResumableSha256> =>
  OpenSslSha256.create() ?? (await WasmSha256.create())

/** Null if the state cannot be loaded here, for example because an incompatible version saved it. */
export const loadResumableSha256 = async (state: string): Promise<ResumableSha256 | null> =>
  OpenSslSha256.load(state) ?? (await WasmSha256.load(state))

/** For systems on which `OpenSslSha256` finds no library. */
export class WasmSha256 implements ResumableSha256 {
  readonly isFast = false
  readonly #hasher: IHasher

  private constructor(hasher: IHasher) {
    this.#hasher = hasher
  }

  static async create(): Promise<WasmSha256> {
    return new WasmSha256((await createSHA256()).init())
  }

  static async load(state: string): Promise<WasmSha256 | null> {
    const hasher = await createSHA256()
    try {
      return new WasmSha256(hasher.load(Buffer.from(state, 'base64')))
    } catch {
      return null
    }
  }

  update(chunk: Uint8Array): void {
    this.#hasher.update(chunk)
  }

  save(): string {
    return Buffer.from(this.#hasher.save()).toString('base64')
  }

  digest(): string {
    return this.#hasher.digest('hex')
  }
}
