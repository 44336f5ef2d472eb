/** §8: per key. The contract shows no numbers, so these are the sandbox's own. */
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

  /** Does not count, for answers to broken requests. */
  peek(bucket: string): RateState {
    return this.#state(this.#current(bucket))
  }

  #current(bucket: string) {
    const now = this.#now()
    const known = this.#windows.get(bucket)
    // If the clock was set back, start a new window; the old one could last for hours.
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
