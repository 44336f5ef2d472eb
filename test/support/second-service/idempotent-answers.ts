import { createHash } from 'node:crypto'
import { type Answer, badParameter, conflict, type ServiceError } from './answer.ts'

const windowMs = 24 * 3_600_000

type StoredAnswer = {
  readonly fingerprint: string
  readonly storedAtMs: number
  readonly answer: Answer | null
}

/** §8: within 24 hours, the same key gets the original response, and the service creates no second object. */
export class IdempotentAnswers {
  readonly #stored = new Map<string, StoredAnswer>()

  /**
   * Returns the original answer or a refusal. Returns null for a new key, which from now on belongs to this request.
   */
  claim(key: string, request: string): Answer | ServiceError | null {
    const fingerprint = createHash('sha256').update(request).digest('hex')
    const stored = this.#stored.get(key)
    if (stored === undefined || Date.now() - stored.storedAtMs > windowMs) {
      this.#stored.set(key, { fingerprint, storedAtMs: Date.now(), answer: null })
      return null
    }
    if (stored.fingerprint !== fingerprint)
      return badParameter('Idempotency-Key', 'This key belongs to a different request.')
    return stored.answer ?? conflict('request_in_progress', 'A request with this key is in progress.')
  }

  /** §7: after a 5xx, the client may use the same key again, so the service forgets the key. */
  settle(key: string, answer: Answer): void {
    const stored = this.#stored.get(key)
    if (stored === undefined) return
    if (answer.status >= 500) this.#stored.delete(key)
    else this.#stored.set(key, { ...stored, answer })
  }
}
