import { createHash } from 'node:crypto'
import { type Answer, badParameter, conflict, type ServiceError } from './answer.ts'

const windowMs = 24 * 3_600_000

type Kept = { readonly fingerprint: string; readonly at: number; readonly answer: Answer | null }

/** §8: within 24 hours the same key gets the original response, and no second object is made. */
export class IdempotentAnswers {
  readonly #kept = new Map<string, Kept>()

  /** The original answer, a refusal, or null if the key is new and now taken. */
  claim(key: string, request: string): Answer | ServiceError | null {
    const fingerprint = createHash('sha256').update(request).digest('hex')
    const kept = this.#kept.get(key)
    if (kept === undefined || Date.now() - kept.at > windowMs) {
      this.#kept.set(key, { fingerprint, at: Date.now(), answer: null })
      return null
    }
    if (kept.fingerprint !== fingerprint)
      return badParameter('Idempotency-Key', 'This key belongs to another request.')
    return kept.answer ?? conflict('request_in_progress', 'A request with this key is being worked on.')
  }

  /** §7: after a 5xx the same key may be used again, so nothing is stored. */
  settle(key: string, answer: Answer): void {
    const kept = this.#kept.get(key)
    if (kept === undefined) return
    if (answer.status >= 500) this.#kept.delete(key)
    else this.#kept.set(key, { ...kept, answer })
  }
}
