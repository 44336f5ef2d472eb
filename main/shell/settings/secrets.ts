import { existsSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import type { SecretStorage } from '../../../shared/ipc.ts'
import { Refused } from '../calls/answer-call.ts'
import { writeDurably } from './durable-file.ts'
import { writeRefused } from './write-refused.ts'

/** The synchronous part of Electron's safeStorage. */
export type Keychain = {
  readonly isEncryptionAvailable: () => boolean
  readonly encryptString: (text: string) => Buffer
  readonly decryptString: (bytes: Buffer) => string
  /** Linux only. */
  readonly getSelectedStorageBackend?: () => string
  readonly setUsePlainTextEncryption: (on: boolean) => void
}

/**
 * The key of this station: encrypted by the system's keychain on disk, in clear only in memory. A key that
 * can no longer be decrypted (other user, new keychain) is asked for again; the queue is not touched.
 */
export class Secrets {
  readonly #file: string
  readonly #keychain: Keychain
  readonly #platform: NodeJS.Platform
  readonly #log: (message: string) => void
  #key: string | null = null

  constructor(options: {
    readonly folder: string
    readonly keychain: Keychain
    readonly platform: NodeJS.Platform
    readonly log: (message: string) => void
  }) {
    this.#file = path.join(options.folder, 'key.bin')
    this.#keychain = options.keychain
    this.#platform = options.platform
    this.#log = options.log
    // Electron refuses to encrypt with a password that is no secret unless told to. The person is asked first: `save`.
    if (this.#backend() === 'basic_text') this.#keychain.setUsePlainTextEncryption(true)
  }

  get key(): string | null {
    return this.#key
  }

  load(): void {
    if (!existsSync(this.#file)) return
    try {
      this.#key = this.#keychain.decryptString(readFileSync(this.#file))
    } catch {
      // The file stays: the keychain may only be locked just now, and be open at the next start.
      this.#log('the stored key cannot be decrypted; it has to be entered again')
    }
  }

  describe(): SecretStorage {
    const available = this.#keychain.isEncryptionAvailable()
    const backend = this.#backend()
    return { available, backend, protects: available && backend !== 'basic_text', hasKey: this.#key !== null }
  }

  save(key: string, acceptUnprotected: boolean): void {
    const { available, protects } = this.describe()
    if (available && !protects && !acceptUnprotected)
      throw new Refused(
        'This PC has no keychain, so the key would be stored unprotected. Agree to that first.',
      )
    if (available) this.#write(key)
    this.#key = key
  }

  /** For this run only. */
  hold(key: string): void {
    this.#key = key
  }

  forget(): void {
    rmSync(this.#file, { force: true })
    this.#key = null
  }

  #write(key: string): void {
    try {
      writeDurably(this.#file, this.#keychain.encryptString(key))
    } catch (error) {
      throw writeRefused('The key could not be stored.', error)
    }
  }

  #backend(): string {
    switch (this.#platform) {
      case 'darwin':
        return 'Keychain'
      case 'win32':
        return 'DPAPI'
      default:
        return this.#keychain.getSelectedStorageBackend?.() ?? 'unknown'
    }
  }
}
