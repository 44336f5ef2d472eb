import path from 'node:path'
import { z } from 'zod'
import type { SecretStorage } from '../../shared/ipc/ipc.ts'
import { type Keychain, KeychainFile, requireConsent } from './keychain-file.ts'

/** The file in which a window stores the key. The keychain of the window's user encrypts this file. */
export const windowKeyFile = 'key.bin'
const NOT_REMOVED = 'The key could not be removed from this PC.'

const boundKeySchema = z.strictObject({ origin: z.string(), key: z.string() })
type BoundKey = z.output<typeof boundKeySchema>

/**
 * The key of this station. It is stored with the origin of the service's address, because Sluice must not send the key
 * to a different origin. If the user mistypes the address and then corrects it, Sluice uses the key again. A new key
 * replaces the previous key. If the key can no longer be decrypted (different user, new keychain), the user must enter
 * it again; queued recordings stay queued.
 */
export class Secrets {
  readonly #file: KeychainFile
  readonly #keychain: Keychain
  readonly #platform: NodeJS.Platform
  readonly #log: (message: string) => void
  #bound: BoundKey | null = null
  #isStored = true

  constructor(options: {
    readonly folder: string
    readonly keychain: Keychain
    readonly platform: NodeJS.Platform
    readonly log: (message: string) => void
    /** The name of the file. */
    readonly file?: string
  }) {
    this.#file = new KeychainFile(path.join(options.folder, options.file ?? windowKeyFile), options.keychain)
    this.#keychain = options.keychain
    this.#platform = options.platform
    this.#log = options.log
    // Without a keychain, Electron refuses to encrypt until this call. `save` still requires the user's confirmation.
    if (this.#backend() === 'basic_text') this.#keychain.setUsePlainTextEncryption(true)
  }

  /** The only origin that the key may be sent to. */
  get origin(): string | null {
    return this.#bound?.origin ?? null
  }

  keyFor(address: string | undefined): string | null {
    return address !== undefined && this.origin === originOf(address) ? (this.#bound?.key ?? null) : null
  }

  /** When the key was stored. Infinity for a key that is only in memory or in the settings file. */
  get storedAtMs(): number {
    return this.#isStored ? this.#file.writtenAtMs : Number.POSITIVE_INFINITY
  }

  /** The key without a check of the address. Use it only to redact or remove the key; requests use `keyFor`. */
  get key(): string | null {
    return this.#bound?.key ?? null
  }

  /**
   * Earlier versions stored the key without an origin. Such a key is bound to `address`, the address in the settings.
   */
  load(address: string | undefined): void {
    let text: string | null
    try {
      text = this.#file.read()
    } catch {
      this.#reportUnreadable()
      return
    }
    if (text === null) return
    this.#bound = boundKeyIn(text)
    if (this.#bound !== null) return
    const oldKey = oldKeyIn(text)
    if (oldKey === null) this.#reportUnreadable()
    else this.#bindOldKey(oldKey, address)
  }

  describe(): SecretStorage {
    const available = this.#keychain.isEncryptionAvailable()
    const backend = this.#backend()
    return {
      available,
      backend,
      protects: available && backend !== 'basic_text',
      addressesWithKey: this.#bound === null ? [] : [this.#bound.origin],
    }
  }

  save(address: string, key: string, acceptUnprotected: boolean): void {
    const storage = this.describe()
    requireConsent(storage, acceptUnprotected, 'key')
    const bound = { origin: originOf(address), key }
    if (storage.available) this.#write(bound)
    this.#isStored = storage.available
    this.#bound = bound
  }

  /** Uses the key until this process ends, without writing it to the file. */
  bindWithoutStoring(address: string, key: string): void {
    this.#bound = { origin: originOf(address), key }
    this.#isStored = false
  }

  forget(): void {
    this.#bound = null
    this.#isStored = true
    this.#file.remove(NOT_REMOVED)
  }

  /** Keeps the file: its key may be readable for another account, or at the next start. */
  #reportUnreadable(): void {
    this.#log('this account cannot read the stored key; the file is kept until a key is entered again')
  }

  /**
   * Binds the key of an earlier version to the address. Removes the key if there is no address, because its service is
   * then unknown.
   */
  #bindOldKey(key: string, address: string | undefined): void {
    if (address === undefined) {
      this.#log('the stored key was entered for an address that is no longer set; enter the key again')
      this.#file.remove(NOT_REMOVED)
      return
    }
    this.bindWithoutStoring(address, key)
    try {
      this.#write({ origin: originOf(address), key })
    } catch (error) {
      // For example, the disk is full. The next start tries again.
      this.#log((error as Error).message)
    }
  }

  #write(bound: BoundKey): void {
    this.#file.write(bound, 'The key could not be stored.')
    this.#isStored = true
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

/** Returns null for the file of an earlier version, because that file contains only the key. */
const boundKeyIn = (text: string): BoundKey | null => {
  try {
    return boundKeySchema.parse(JSON.parse(text))
  } catch {
    return null
  }
}

/** Null if the text cannot be a key. The file may then contain something else, so `load` must not replace the file. */
const oldKeyIn = (text: string): string | null => {
  const key = text.trim()
  return /^[\x21-\x7e]+$/.test(key) ? key : null
}
