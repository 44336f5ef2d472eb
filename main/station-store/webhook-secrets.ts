import { randomUUID } from 'node:crypto'
import path from 'node:path'
import type { KnownEndpoint, NewEndpoint } from '../../shared/contract/webhooks.ts'
import {
  addEndpoint,
  addPendingRequest,
  endpointsFor,
  readBook,
  secretsFor,
  type WebhookBook,
} from '../../shared/settings/webhook-book.ts'
import { type Keychain, KeychainFile, requireConsent } from './keychain-file.ts'
import type { Secrets } from './secrets.ts'

/**
 * The secrets of the endpoints that this station registered, each only for the service that issued it. The system's
 * keychain encrypts the file of the window. The file of a headless agent relies on file permissions. If a file can no
 * longer be decrypted, the user must register the endpoints again.
 */
export class WebhookSecrets {
  readonly #file: KeychainFile
  readonly #storage: Pick<Secrets, 'describe'>
  readonly #log: (message: string) => void
  #book: WebhookBook | null = null
  #isUnreadable = false

  constructor(options: {
    readonly folder: string
    readonly keychain: Keychain
    readonly storage: Pick<Secrets, 'describe'>
    readonly log: (message: string) => void
    /** The name of the file. */
    readonly file?: string
  }) {
    this.#file = new KeychainFile(path.join(options.folder, options.file ?? 'webhooks.bin'), options.keychain)
    this.#storage = options.storage
    this.#log = options.log
  }

  load(): void {
    try {
      const text = this.#file.read()
      if (text !== null) this.#book = readBook(text)
      this.#isUnreadable = text !== null && this.#book === null
    } catch {
      this.#isUnreadable = true
    }
    if (this.#isUnreadable) this.#log('the stored webhook secrets cannot be decrypted')
  }

  /** The secrets for every address, to redact them. */
  get allSecrets(): readonly string[] {
    return this.#book?.endpoints.map(({ secret }) => secret) ?? []
  }

  secretsFor(address: string | undefined): readonly string[] {
    return address === undefined ? [] : secretsFor(this.#book, new URL(address).origin)
  }

  endpointsFor(address: string | undefined): readonly KnownEndpoint[] {
    return address === undefined ? [] : endpointsFor(this.#book, new URL(address).origin)
  }

  /**
   * Stores the request and returns its idempotency key. After a crash, Sluice repeats the request with this key, and
   * the service returns the same secret (§8).
   */
  storeRequest(address: string, endpoint: NewEndpoint, acceptUnprotected: boolean, now: Date): string {
    const storage = this.#storage.describe()
    requireConsent(storage, acceptUnprotected, 'secret')
    // The user may have unlocked the keychain since the start.
    if (this.#isUnreadable) this.load()
    const { origin } = new URL(address)
    const { book, key } = addPendingRequest(this.#book, { origin, endpoint, newKey: randomUUID(), now })
    if (storage.available) this.#write(book)
    this.#book = book
    return key
  }

  /**
   * Uses the secret from now on. If the file cannot be written, returns a message: the user must then copy the secret
   * before Sluice closes.
   */
  storeSecret(
    endpoint: NewEndpoint,
    answer: { readonly id: string; readonly secret: string },
    now: Date,
  ): string | null {
    if (this.#book === null) return null
    this.#book = addEndpoint(this.#book, endpoint, { ...answer, now })
    if (!this.#storage.describe().available) return null
    try {
      this.#write(this.#book)
      return null
    } catch (error) {
      return (error as Error).message
    }
  }

  forget(): void {
    this.#book = null
    this.#isUnreadable = false
    this.#file.remove('The webhook secrets could not be removed from this PC.')
  }

  #write(book: WebhookBook): void {
    this.#file.write(book, 'The webhook secret could not be stored.')
  }
}
