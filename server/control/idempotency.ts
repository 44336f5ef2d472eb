import { createHash } from 'node:crypto'
import {
  type Checked,
  type CreatedUpload,
  conflict,
  invalid,
  type Outcome,
  type Refusal,
  value,
} from '../answer.ts'
import { createdBody } from '../session-view.ts'
import type { UrlSigner } from '../storage/signed-url.ts'
import { idempotency } from '../store/idempotency.ts'
import type { Steps } from '../store/steps.ts'
import type { Store } from '../store/store.ts'

/** §8 */
export const idempotencyWindowMs = 24 * 60 * 60 * 1000

export type KeyedRequest = {
  readonly orgId: string
  readonly key: string
  readonly fingerprint: string
  readonly requestId: string
}

export type IdempotentStart =
  | { readonly kind: 'started'; end(): Promise<void>; record(outcome: Outcome): Steps<void> }
  | StoredReply

type StoredReply =
  | { readonly kind: 'replay'; readonly outcome: Outcome; readonly requestId: string }
  | { readonly kind: 'refused'; readonly outcome: Outcome }

/**
 * Thrown if a different instance stored an answer to this key first, because a lost connection to the database ended
 * the claim. The error rolls the transaction back, so that no second object exists.
 */
export class IdempotencyKeyTaken extends Error {}

/**
 * Rolls the transaction back, so that a refusal is not stored: the same request may succeed later. Only
 * `checksum_mismatch` is final and stored.
 */
export class RefusalNotStored extends Error {
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super()
    this.refusal = refusal
  }
}

/**
 * A request claims its key while it is in progress. A crash also ends the claim, so the key is free again.
 */
export class IdempotencyKeys {
  readonly #store: Store
  readonly #signer: UrlSigner
  readonly #now: () => number

  constructor(store: Store, signer: UrlSigner, now: () => number) {
    this.#store = store
    this.#signer = signer
    this.#now = now
  }

  async begin(request: KeyedRequest): Promise<IdempotentStart> {
    const { orgId, key, fingerprint, requestId } = request
    const end = await this.#store.claims.take(`post ${orgId} ${key}`)
    const storedReply = await this.findStored(request).catch(async (error: unknown) => {
      // Without this call, the key would count as in progress until the process ends.
      await end?.()
      throw error
    })
    if (end === null) return storedReply ?? { kind: 'refused', outcome: keyInProgress }
    if (storedReply !== null) {
      await end()
      return storedReply
    }
    const startedAt = this.#now()
    const expiredAt = startedAt - idempotencyWindowMs
    return {
      kind: 'started',
      end,
      *record(outcome) {
        const answer = JSON.stringify(storedForm(outcome))
        const row = { org_id: orgId, key, fingerprint, created_at: startedAt, request_id: requestId, answer }
        if (!(yield* idempotency.put(row, expiredAt))) throw new IdempotencyKeyTaken()
        if (outcome.kind === 'refusal' && outcome.code !== 'checksum_mismatch')
          throw new RefusalNotStored(outcome)
      },
    }
  }

  /**
   * Finds the stored answer to this key. Returns a refusal if the key was used for a different request, and null if
   * there is no answer.
   */
  async findStored({ orgId, key, fingerprint }: KeyedRequest): Promise<StoredReply | null> {
    const row = await this.#store.read(idempotency.get(orgId, key))
    if (row === undefined || this.#now() >= row.created_at + idempotencyWindowMs) return null
    if (row.fingerprint !== fingerprint) return { kind: 'refused', outcome: keyReused }
    return { kind: 'replay', outcome: this.#outcomeOf(row.answer), requestId: row.request_id }
  }

  #outcomeOf(answer: string): Outcome {
    const storedAnswer = JSON.parse(answer) as Outcome | StoredCreation
    if (storedAnswer.kind !== 'created') return storedAnswer
    return { kind: 'ok', body: createdBody(this.#signer, storedAnswer.created) }
  }
}

type StoredCreation = { readonly kind: 'created'; readonly created: CreatedUpload }

/** Leaves out the signed URLs of a created session, because they would make the stored answer large. */
function storedForm(outcome: Outcome): Outcome | StoredCreation {
  if (outcome.kind !== 'ok' || outcome.created === undefined) return outcome
  return { kind: 'created', created: outcome.created }
}

const keyInProgress = conflict(
  'idempotency_in_progress',
  'The first request with this Idempotency-Key is still in progress.',
  'Idempotency-Key',
)
const keyReused = conflict(
  'idempotency_key_reused',
  'This Idempotency-Key was used for a different request.',
  'Idempotency-Key',
)

export function checkIdempotencyKey(header: string | undefined): Checked<string | null> {
  if (header === undefined) return value(null)
  if (!/^[\x21-\x7e]{1,255}$/.test(header)) {
    return invalid('Idempotency-Key', 'Idempotency-Key must be 1 to 255 visible ASCII characters.')
  }
  return value(header)
}

/** Includes the path: the same key and body at a different path is a different request. */
export function fingerprintOf(target: string, body: Buffer): string {
  return createHash('sha256').update(`${target}\n`).update(body).digest('hex')
}
