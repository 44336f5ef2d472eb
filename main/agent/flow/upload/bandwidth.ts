import type { Clock } from '../../ports/clock.ts'

/** Short enough for a smooth rate on the link, and long enough that a late timer costs no bandwidth. */
const BURST_SECONDS = 0.5
/** A waiting caller checks the limit again after this time, so that a new limit soon takes effect. */
const MAX_WAIT_MS = 250

type Sleep = (ms: number, signal: AbortSignal) => Promise<void>

/** A token bucket for the whole station, first come, first served. */
export class Bandwidth {
  readonly #clock: Clock
  readonly #limitMbitPerS: () => number | null
  readonly #sleep: Sleep
  #allowanceBytes = 0
  #refilledAtMs: number
  #lastTurn: Promise<void> = Promise.resolve()

  constructor(clock: Clock, limitMbitPerS: () => number | null, sleep: Sleep) {
    this.#clock = clock
    this.#limitMbitPerS = limitMbitPerS
    this.#sleep = sleep
    this.#refilledAtMs = clock.monotonicMs()
  }

  take(bytes: number, signal: AbortSignal): Promise<void> {
    const turn = this.#lastTurn.then(() => this.#takeTokens(bytes, signal))
    // The caller gets the error. The next caller only waits for this turn to end.
    this.#lastTurn = turn.catch(() => {})
    return turn
  }

  /**
   * Waits until the allowance is not negative, then subtracts all bytes. The allowance may become negative, because a
   * chunk can be larger than the bucket.
   */
  async #takeTokens(bytes: number, signal: AbortSignal): Promise<void> {
    for (;;) {
      const limitMbitPerS = this.#limitMbitPerS()
      if (signal.aborted) return
      if (limitMbitPerS === null) {
        this.#allowanceBytes = 0
        this.#refilledAtMs = this.#clock.monotonicMs()
        return
      }
      const bytesPerMs = (limitMbitPerS * 1_000_000) / 8 / 1000
      const nowMs = this.#clock.monotonicMs()
      const refilledBytes = this.#allowanceBytes + (nowMs - this.#refilledAtMs) * bytesPerMs
      this.#allowanceBytes = Math.min(refilledBytes, BURST_SECONDS * 1000 * bytesPerMs)
      this.#refilledAtMs = nowMs
      if (this.#allowanceBytes >= 0) {
        this.#allowanceBytes -= bytes
        return
      }
      // Sleep whole milliseconds: after a fraction of a millisecond, the clock might not have moved.
      await this.#sleep(Math.min(Math.ceil(-this.#allowanceBytes / bytesPerMs), MAX_WAIT_MS), signal)
    }
  }
}
