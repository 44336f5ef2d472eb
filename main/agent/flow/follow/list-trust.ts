import { STALE_LIST_RETRY_DELAY_MS } from '../../domain/retry-limits.ts'
import type { Clock } from '../../ports/clock.ts'

/**
 * Hard case: The list (§4.5) shows old states.
 * Now and then, the follower polls one session separately as a sample. If two samples in a row are ahead of the list,
 * it polls all sessions separately, and tries the list again after ten minutes.
 */

/** One session may end between the list and its sample. Two in a row show that the list is stale. */
const STALE_AFTER_SAMPLES = 2

/** Decides whether the follower may use the list (§4.5): the index or cache behind it may lag, even for ever. */
export class ListTrust {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  #staleCount = 0
  #retryAtMs = Number.NEGATIVE_INFINITY

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock
  }

  get isDistrusted(): boolean {
    return this.#clock.monotonicMs() < this.#retryAtMs
  }

  /** Call if the key has no permission to list sessions. */
  noteRefusal(): void {
    this.#retryAtMs = this.#clock.monotonicMs() + STALE_LIST_RETRY_DELAY_MS
  }

  /**
   * `hasEnded`: whether the sampled session has ended, although the list shows it as unfinished. Returns true if the
   * follower must not use the list for now.
   */
  noteSample(hasEnded: boolean): boolean {
    this.#staleCount = hasEnded ? this.#staleCount + 1 : 0
    if (this.#staleCount < STALE_AFTER_SAMPLES || this.isDistrusted) return false
    this.#retryAtMs = this.#clock.monotonicMs() + STALE_LIST_RETRY_DELAY_MS
    return true
  }
}
