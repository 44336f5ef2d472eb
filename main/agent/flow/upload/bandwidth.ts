import type { Clock } from '../../ports/clock.ts'

/** Half a second of the rate may go at once: smooth enough for a link, coarse enough for the event loop. */
const BURST_SECONDS = 0.5
/** Whoever waits looks at the limit this often, so that a change takes effect at once. */
const LONGEST_WAIT_MS = 250

type Sleep = (ms: number, signal: AbortSignal) => Promise<void>

/** One bucket for the whole station; whoever asks first goes first. */
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
    // A fault is its caller's: whoever comes next waits for the turn to be over, however it ended.
    this.#last = turn.catch(() => {})
    return turn
  }

  /** Goes as soon as the bucket is not in debt, and may leave it in debt: a chunk can be larger than the bucket. */
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
      // Whole milliseconds: a rest of a thousandth would be slept through without the clock moving.
      await this.#sleep(Math.min(Math.ceil(-this.#allowance / bytesPerMs), LONGEST_WAIT_MS), signal)
    }
  }
}
