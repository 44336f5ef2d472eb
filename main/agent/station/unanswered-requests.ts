import { UNANSWERED_IS_UNREACHABLE_AFTER_MS } from '../domain/retry-limits.ts'
import type { Clock } from '../ports/clock.ts'

/**
 * The pending requests to the control API, except those that cause long work at the service. Long before the first one
 * times out, they reveal a service that accepts requests but answers none.
 */
export class UnansweredRequests {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #pending = new Set<{ readonly sentAtMs: number }>()
  #answeredAtMs: number | null = null
  #resetAtMs = 0
  #tooLongMs = UNANSWERED_IS_UNREACHABLE_AFTER_MS

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock
  }

  /** Call when a request is sent. Returns a function to call when the request ends. */
  begin(): () => void {
    const request = { sentAtMs: this.#clock.monotonicMs() }
    this.#pending.add(request)
    return () => void this.#pending.delete(request)
  }

  get hasAnswered(): boolean {
    return this.#answeredAtMs !== null
  }

  noteAnswer(): void {
    this.#answeredAtMs = this.#clock.monotonicMs()
  }

  /** The next answer may be as late as this one, so `overdueMs` allows more time from now on. */
  noteLateAnswer(sentAtMs: number): void {
    this.#tooLongMs = Math.max(this.#tooLongMs, 2 * (this.#clock.monotonicMs() - sentAtMs))
  }

  /** Call after sleep, a new key or a network change. Earlier silence then does not count. */
  reset(): void {
    this.#resetAtMs = this.#clock.monotonicMs()
  }

  /** How long the service has answered nothing. Null if no request is pending, or if this is not too long yet. */
  overdueMs(): number | null {
    if (this.#pending.size === 0) return null
    const oldestMs = Math.min(...[...this.#pending].map(({ sentAtMs }) => sentAtMs))
    const unansweredMs =
      this.#clock.monotonicMs() - Math.max(oldestMs, this.#answeredAtMs ?? 0, this.#resetAtMs)
    return unansweredMs < this.#tooLongMs ? null : unansweredMs
  }
}
