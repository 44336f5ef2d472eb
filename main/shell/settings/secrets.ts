import { existsSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import type { SecretStorage } from '../../../shared/ipc/ipc.ts'
import { besideOf, writeDurably } from '../../local-files/durable-file.ts'
import { Refused } from '../calls/answer-call.ts'
import { writeRefused } from './write-error.ts'

/** The synchronous part of Electron's safeStorage. */
export type Keychain = {
  readonly isEncryptionAvailable: () => boolean
  readonly encryptString: (text: string) => Buffer
  readonly decryptString: (bytes: Buffer) => string
  /** Linux only. */
  readonly getSelectedStorageBackend?: () => string
  readonly setUsePlainTextEncryption: (on: boolean) => void
}

const boundKeySchema = z.strictObject({ origin: z.string(), key: z.string() })
type BoundKey = z.output<typeof boundKeySchema>

/**
 * The key of this station: encrypted by the system's keychain on disk, in clear only in memory, and together with the
 * origin it was entered for, so that whoever changes the address does not get it. One key and not one for each
 * address: a mistyped address that is set right finds its key again, and a service that was left keeps none here once
 * the next one's is stored. A key that can no longer be decrypted (other user, new keychain) is asked for again; the
 * queue is not touched.
 */
export class Secrets {
  readonly #file: string
  readonly #keychain: Keychain
  readonly #platform: NodeJS.Platform
  readonly #log: (message: string) => void
  #bound: BoundKey | null = null

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

  /** Where the key may be sent. */
  get origin(): string | null {
    return this.#bound?.origin ?? null
  }

  keyFor(address: string | undefined): string | null {
    return address !== undefined && this.origin === originOf(address) ? (this.#bound?.key ?? null) : null
  }

  /** For whoever has to keep it out of a text. */
  get known(): string | null {
    return this.#bound?.key ?? null
  }

  /** `address` is the one in the settings: the key of an earlier version, which had no origin, is taken for its key. */
  load(address: string | undefined): void {
    if (!existsSync(this.#file)) return
    let text: string
    try {
      text = this.#keychain.decryptString(readFileSync(this.#file))
    } catch {
      // The file stays: the keychain may only be locked just now, and be open at the next start.
      this.#log('the stored key cannot be decrypted; it has to be entered again')
      return
    }
    this.#bound = boundKeyIn(text)
    if (this.#bound === null) this.#takeOver(text, address)
  }

  describe(): SecretStorage {
    const available = this.#keychain.isEncryptionAvailable()
    const backend = this.#backend()
    return {
      available,
      backend,
      protects: available && backend !== 'basic_text',
      keyFor: this.#bound === null ? [] : [this.#bound.origin],
    }
  }

  save(address: string, key: string, acceptUnprotected: boolean): void {
    const { available, protects } = this.describe()
    if (available && !protects && !acceptUnprotected)
      throw new Refused('No keychain here, so other programs could read the key. Confirm that first.')
    const bound = { origin: originOf(address), key }
    if (available) this.#write(bound)
    this.#bound = bound
  }

  /** For this run only. */
  hold(address: string, key: string): void {
    this.#bound = { origin: originOf(address), key }
  }

  forget(): void {
    this.#bound = null
    try {
      for (const file of [this.#file, besideOf(this.#file)]) rmSync(file, { force: true })
    } catch (error) {
      throw writeRefused('The key could not be removed from this PC.', error)
    }
  }

  /** Once: from then on the file says whose it is. Without an address there is nobody whose key it could be. */
  #takeOver(key: string, address: string | undefined): void {
    if (address === undefined) {
      this.#log('the stored key was entered for an address that is no longer set; it has to be entered again')
      rmSync(this.#file, { force: true })
      return
    }
    this.hold(address, key)
    try {
      this.#write({ origin: originOf(address), key })
    } catch (error) {
      // A full disk: it works all the same, and the next start tries again.
      this.#log((error as Error).message)
    }
  }

  #write(bound: BoundKey): void {
    try {
      writeDurably(this.#file, this.#keychain.encryptString(JSON.stringify(bound)))
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

const originOf = (address: string): string => new URL(address).origin

/** Null for the key of an earlier version, which stands alone: no key is valid JSON of this shape. */
const boundKeyIn = (text: string): BoundKey | null => {
  try {
    return boundKeySchema.parse(JSON.parse(text))
  } catch {
    return null
  }
}
