import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, rmSync } from 'node:fs'
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
import { temporaryFileOf, writeDurably } from '../local-files/durable-file.ts'
import { Refused } from './refused.ts'
import type { Keychain, Secrets } from './secrets.ts'
import { writeError } from './write-error.ts'

/**
 * The secrets of the endpoints that this station registered. The system's keychain encrypts them on disk, and they are used
 * only for their service. If they can no longer be decrypted, the user registers again.
 */
export class WebhookSecrets {
  readonly #file: string
  readonly #keychain: Keychain
  readonly #storage: Pick<Secrets, 'describe'>
  readonly #log: (message: string) => void
  #book: WebhookBook | null = null

  constructor(options: {
    readonly folder: string
    readonly keychain: Keychain
    readonly storage: Pick<Secrets, 'describe'>
    readonly log: (message: string) => void
    /** The name of the file. */
    readonly file?: string
  }) {
    this.#file = path.join(options.folder, options.file ?? 'webhooks.bin')
    this.#keychain = options.keychain
    this.#storage = options.storage
    this.#log = options.log
  }

  load(): void {
    if (!existsSync(this.#file)) return
    try {
      this.#book = readBook(this.#keychain.decryptString(readFileSync(this.#file)))
    } catch {
      // Keep the file: the keychain may be locked only temporarily.
      this.#log('the stored webhook secrets cannot be decrypted')
    }
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

  /** Stores the request and returns its idempotency key. After a crash, the same key returns the same secret (§8). */
  storeRequest(address: string, endpoint: NewEndpoint, acceptUnprotected: boolean, now: Date): string {
    const { available, protects } = this.#storage.describe()
    if (available && !protects && !acceptUnprotected)
      throw new Refused(
        'This PC has no keychain, so other programs could read the secret. Confirm to store it anyway.',
      )
    const { origin } = new URL(address)
    const { book, key } = addPendingRequest(this.#book, { origin, endpoint, newKey: randomUUID(), now })
    if (available) this.#write(book)
    this.#book = book
    return key
  }

  /**
   * Uses the secret from now on. Returns a sentence if the secret could not be stored, because the service never
   * returns it again.
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
    try {
      for (const file of [this.#file, temporaryFileOf(this.#file)]) rmSync(file, { force: true })
    } catch (error) {
      throw writeError('The webhook secrets could not be removed from this PC.', error)
    }
  }

  #write(book: WebhookBook): void {
    try {
      writeDurably(this.#file, this.#keychain.encryptString(JSON.stringify(book)))
    } catch (error) {
      throw writeError('The webhook secret could not be stored.', error)
    }
  }
}
