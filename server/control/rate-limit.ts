import { type RateWindow, type RateWindows, rateWindowMs } from '../store/rate-windows.ts'

/** §8: the rate limit of one key. The contract states no numbers, so this service chooses them. */
export type RateState = {
  readonly limit: number
  readonly remaining: number
  readonly resetS: number
  readonly isExceeded: boolean
}

/** Counts the requests of each key in fixed windows of one minute. */
export class RateLimiter {
  readonly #limit: number
  readonly #windows: RateWindows
  readonly #now: () => number

  constructor(limit: number, windows: RateWindows, now: () => number) {
    this.#limit = limit
    this.#windows = windows
    this.#now = now
  }

  async count(bucket: string): Promise<RateState> {
    return this.#state(await this.#windows.count(bucket, this.#now()))
  }

  /** The state for the answer to a request that does not count towards the limit. */
  uncounted(): RateState {
    return this.#state({ startedAt: this.#now(), used: 0 })
  }

  #state(window: RateWindow): RateState {
    return {
      limit: this.#limit,
      remaining: Math.max(0, this.#limit - window.used),
      resetS: Math.max(1, Math.ceil((window.startedAt + rateWindowMs - this.#now()) / 1000)),
      isExceeded: window.used > this.#limit,
    }
  }
}
