import type { Clock } from '../../ports/clock.ts'

/** Burst size: smooth enough for the link, coarse enough for the event loop. */
const BURST_SECONDS = 0.5
/** Waiters check the limit this often, so that a change takes effect at once. */
const MAX_WAIT_MS = 250

type Sleep = (ms: number, signal: AbortSignal) => Promise<void>

/** A token bucket for the whole station, first come, first served. */
export class Bandwidth {
  readonly #clock: Clock
  readonly #limitMbitPerS: () => number | null
  readonly #sleep: Sleep
  #allowance = 0
  #atMs: number
  #last: Promise<void> = Promise.resolve()

  constructor(clock: Clock, limitMbitPerS: () => number | null, sleep: Sleep) {
    this.#clock = clock
    this.#limitMbitPerS = limitMbitPerS
    this.#sleep = sleep
    this.#atMs = clock.monotonicMs()
  }

  take(bytes: number, signal: AbortSignal): Promise<void> {
    const turn = this.#last.then(() => this.#pay(bytes, signal))
    // The caller gets the error. The next caller only waits for this turn to end.
    this.#last = turn.catch(() => {})
    return turn
  }

  /**
   * Waits until the bucket is not in debt. Then takes all bytes, even into debt: a chunk can be larger than the bucket.
   */
  async #pay(bytes: number, signal: AbortSignal): Promise<void> {
    for (;;) {
      const limit = this.#limitMbitPerS()
      if (signal.aborted) return
      if (limit === null) {
        this.#allowance = 0
        this.#atMs = this.#clock.monotonicMs()
        return
      }
      const bytesPerMs = (limit * 1_000_000) / 8 / 1000
      const now = this.#clock.monotonicMs()
      const refilled = this.#allowance + (now - this.#atMs) * bytesPerMs
      this.#allowance = Math.min(refilled, BURST_SECONDS * 1000 * bytesPerMs)
      this.#atMs = now
      if (this.#allowance >= 0) {
        this.#allowance -= bytes
        return
      }
      // Whole milliseconds: after a sleep of a fraction the clock might not have moved.
      await this.#sleep(Math.min(Math.ceil(-this.#allowance / bytesPerMs), MAX_WAIT_MS), signal)
    }
  }
}
