import { STALE_LIST_RETRY_DELAY_MS } from '../../domain/retry-policy.ts'
import type { Clock } from '../../ports/clock.ts'

/** Once it may have come to its end between the two questions; twice in a row is no accident. */
const BELIEVED = 2

/**
 * Whether the list (§4.5) is as new as the sessions it shows. An index or a cache may lag behind for minutes, or stand
 * still: then each session is asked about by itself, and the list is tried again later.
 */
export class ListTrust {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  #ended = 0
  #againAtMs = Number.NEGATIVE_INFINITY

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock
  }

  get isBehind(): boolean {
    return this.#clock.monotonicMs() < this.#againAtMs
  }

  /** This key may not list: each session is polled by itself. */
  refused(): void {
    this.#againAtMs = this.#clock.monotonicMs() + STALE_LIST_RETRY_DELAY_MS
  }

  /** What a session said itself that the list had just shown at work; true where that is the end of the trust. */
  heard(hasEnded: boolean): boolean {
    this.#ended = hasEnded ? this.#ended + 1 : 0
    if (this.#ended < BELIEVED || this.isBehind) return false
    this.#againAtMs = this.#clock.monotonicMs() + STALE_LIST_RETRY_DELAY_MS
    return true
  }
}
