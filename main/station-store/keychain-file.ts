import { existsSync, rmSync, statSync } from 'node:fs'
import type { SecretStorage } from '../../shared/ipc/ipc.ts'
import { temporaryFileOf, writeDurably } from '../local-files/durable-file.ts'
import { readPlainFile } from '../local-files/plain-file.ts'
import { Refused } from './refused.ts'
import { writeError } from './write-error.ts'

/** The synchronous part of Electron's `safeStorage`. */
export type Keychain = {
  readonly isEncryptionAvailable: () => boolean
  readonly encryptString: (text: string) => Buffer
  readonly decryptString: (bytes: Buffer) => string
  /** Linux only. */
  readonly getSelectedStorageBackend?: () => string
  readonly setUsePlainTextEncryption: (on: boolean) => void
}

const MAX_BYTES = 1024 * 1024

/** A file that the given keychain encrypts and decrypts. */
export class KeychainFile {
  readonly #path: string
  readonly #keychain: Keychain

  constructor(path: string, keychain: Keychain) {
    this.#path = path
    this.#keychain = keychain
  }

  /** Null if the file is missing. Throws if the keychain cannot decrypt the file, for example while it is locked. */
  read(): string | null {
    if (!existsSync(this.#path)) return null
    return this.#keychain.decryptString(readPlainFile(this.#path, MAX_BYTES).bytes)
  }

  /** When the file was written. 0 if it is missing. */
  get writtenAtMs(): number {
    return statSync(this.#path, { throwIfNoEntry: false })?.mtimeMs ?? 0
  }

  /** Throws an error that begins with `sentence` if the file cannot be written. */
  write(content: object, sentence: string): void {
    try {
      writeDurably(this.#path, this.#keychain.encryptString(JSON.stringify(content)))
    } catch (error) {
      throw writeError(sentence, error)
    }
  }

  remove(sentence: string): void {
    try {
      for (const file of [this.#path, temporaryFileOf(this.#path)]) rmSync(file, { force: true })
    } catch (error) {
      throw writeError(sentence, error)
    }
  }
}

/** Without a keychain, Sluice stores a secret only after the user has confirmed. */
export const requireConsent = (
  { available, protects }: Pick<SecretStorage, 'available' | 'protects'>,
  acceptUnprotected: boolean,
  noun: string,
): void => {
  if (available && !protects && !acceptUnprotected)
    throw new Refused(
      `This PC has no keychain, so other programs could read the ${noun}. Confirm to store it anyway.`,
    )
}
