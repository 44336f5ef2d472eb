/** §8: applied per key. The numbers are the sandbox's own; the contract shows none. */
export type RateState = {
  readonly limit: number
  readonly remaining: number
  readonly resetS: number
  readonly exceeded: boolean
}

const windowMs = 60_000

/** A fixed window of a minute per key. */
export class RateLimiter {
  readonly #limit: number
  readonly #now: () => number
  readonly #windows = new Map<string, { startedAt: number; used: number }>()

  constructor(limit: number, now: () => number) {
    this.#limit = limit
    this.#now = now
  }

  count(bucket: string): RateState {
    const window = this.#current(bucket)
    window.used += 1
    return this.#state(window)
  }

  /** Without counting, for answers to requests that never became one. */
  peek(bucket: string): RateState {
    return this.#state(this.#current(bucket))
  }

  #current(bucket: string) {
    const now = this.#now()
    const known = this.#windows.get(bucket)
    // A clock that was set back starts a new window too, instead of one that lasts for hours.
    if (known !== undefined && now >= known.startedAt && now < known.startedAt + windowMs) return known
    const fresh = { startedAt: now, used: 0 }
    this.#windows.set(bucket, fresh)
    return fresh
  }

  #state(window: { startedAt: number; used: number }): RateState {
    return {
      limit: this.#limit,
      remaining: Math.max(0, this.#limit - window.used),
      resetS: Math.max(1, Math.ceil((window.startedAt + windowMs - this.#now()) / 1000)),
      exceeded: window.used > this.#limit,
    }
  }
}
