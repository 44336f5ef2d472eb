import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import type { KnownEndpoint, NewEndpoint } from '../../../shared/contract/webhooks.ts'
import {
  addEndpoint,
  addPendingRequest,
  endpointsFor,
  readBook,
  secretsFor,
  type WebhookBook,
} from '../../../shared/settings/webhook-book.ts'
import { besideOf, writeDurably } from '../../local-files/durable-file.ts'
import { Refused } from '../calls/answer-call.ts'
import type { Keychain, Secrets } from './secrets.ts'
import { writeRefused } from './write-error.ts'

/**
 * The secrets of the endpoints that this station registered: encrypted by the system's keychain on disk, in clear only in
 * memory, and for the service they came from. What cannot be decrypted any more is registered again.
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
  }) {
    this.#file = path.join(options.folder, 'webhooks.bin')
    this.#keychain = options.keychain
    this.#storage = options.storage
    this.#log = options.log
  }

  load(): void {
    if (!existsSync(this.#file)) return
    try {
      this.#book = readBook(this.#keychain.decryptString(readFileSync(this.#file)))
    } catch {
      // The file stays: the keychain may only be locked just now.
      this.#log('the stored webhook secrets cannot be decrypted')
    }
  }

  /** For whoever has to keep them out of a text. */
  get known(): readonly string[] {
    return this.#book?.endpoints.map(({ secret }) => secret) ?? []
  }

  secretsFor(address: string | undefined): readonly string[] {
    return address === undefined ? [] : secretsFor(this.#book, new URL(address).origin)
  }

  endpointsFor(address: string | undefined): readonly KnownEndpoint[] {
    return address === undefined ? [] : endpointsFor(this.#book, new URL(address).origin)
  }

  /** Writes the request down and gives its key: asked again after a crash, the service tells the same secret (§8). */
  begin(address: string, endpoint: NewEndpoint, acceptUnprotected: boolean, now: Date): string {
    const { available, protects } = this.#storage.describe()
    if (available && !protects && !acceptUnprotected)
      throw new Refused('No keychain here, so other programs could read the secret. Confirm that first.')
    const { origin } = new URL(address)
    const { book, key } = addPendingRequest(this.#book, { origin, endpoint, newKey: randomUUID(), now })
    if (available) this.#write(book)
    this.#book = book
    return key
  }

  /** In use from now on. A sentence where it could not be stored: the secret has been told, and is not told again. */
  keep(
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
      for (const file of [this.#file, besideOf(this.#file)]) rmSync(file, { force: true })
    } catch (error) {
      throw writeRefused('The webhook secrets could not be removed from this PC.', error)
    }
  }

  #write(book: WebhookBook): void {
    try {
      writeDurably(this.#file, this.#keychain.encryptString(JSON.stringify(book)))
    } catch (error) {
      throw writeRefused('The webhook secret could not be stored.', error)
    }
  }
}
