import { createHash } from 'node:crypto'
import { type Checked, conflict, invalid, type Outcome, value } from '../answer.ts'
import type { Store } from '../store/store.ts'

/** §8 */
const windowMs = 24 * 60 * 60 * 1000

export type KeyedRequest = {
  readonly orgId: string
  readonly key: string
  readonly fingerprint: string
  readonly requestId: string
}

export type Begun =
  | { readonly kind: 'started'; end(): void; record(outcome: Outcome): void }
  | { readonly kind: 'replay'; readonly outcome: Outcome; readonly requestId: string }
  | { readonly kind: 'refused'; readonly outcome: Outcome }

/** Keys in progress are only in memory: a crash ends the work and the claim together. */
export class IdempotencyKeys {
  readonly #store: Store
  readonly #now: () => number
  readonly #running = new Map<string, string>()

  constructor(store: Store, now: () => number) {
    this.#store = store
    this.#now = now
  }

  begin(request: KeyedRequest): Begun {
    const { orgId, key, fingerprint, requestId } = request
    const name = `${orgId} ${key}`
    const running = this.#running.get(name)
    if (running !== undefined) {
      return { kind: 'refused', outcome: running === fingerprint ? stillRunning : reused }
    }
    const known = this.#store.idempotency.get(orgId, key)
    if (known !== undefined && this.#now() < known.created_at + windowMs) {
      if (known.fingerprint !== fingerprint) return { kind: 'refused', outcome: reused }
      return { kind: 'replay', outcome: JSON.parse(known.answer) as Outcome, requestId: known.request_id }
    }
    this.#running.set(name, fingerprint)
    const startedAt = this.#now()
    return {
      kind: 'started',
      end: () => void this.#running.delete(name),
      record: (outcome) => {
        this.#store.idempotency.expire(this.#now() - windowMs)
        const answer = JSON.stringify(outcome)
        const row = { org_id: orgId, key, fingerprint, created_at: startedAt, request_id: requestId, answer }
        this.#store.idempotency.put(row)
      },
    }
  }
}

const stillRunning = conflict(
  'idempotency_in_progress',
  'The first request with this Idempotency-Key is still being worked on.',
  'Idempotency-Key',
)
const reused = conflict(
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

/** The same key with a different path is a different request, whatever its body. */
export function fingerprintOf(target: string, body: Buffer): string {
  return createHash('sha256').update(`${target}\n`).update(body).digest('hex')
}
