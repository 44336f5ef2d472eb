import type { Clock, Random } from '../ports/clock.ts'
import type { RateLimitHeaders } from './answer-headers.ts'

/** Sluice waits as long as the service asks (§7). A pause of more than a day is a mistake. */
const MAX_PAUSE_MS = 24 * 3_600_000
/** A header with a later reset is wrong, and must not stop a station for a night. */
const MAX_RESET_MS = 15 * 60_000

/** Jitter: requests that waited together do not start together. */
const JITTER_MS = 250

export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>

export type RateLimitOptions = { readonly clock: Clock; readonly random: Random; readonly sleep: Sleep }

/** `taken`: the caller must call `release`. `too-long`: nothing was taken, and the wait would be `waitMs`. */
export type RateLimitTurn =
  | { readonly kind: 'taken' }
  | { readonly kind: 'too-long'; readonly waitMs: number }

export type RateLimit = {
  /**
   * Waits for a turn. Returns `too-long` as soon as the wait is known to exceed `longestMs`, even if that becomes known
   * during the wait. Rejects only when `signal` aborts or after `end`.
   */
  readonly acquire: (signal: AbortSignal, longestMs: number) => Promise<RateLimitTurn>
  readonly release: () => void
  readonly observe: (headers: RateLimitHeaders) => void
  /** §7: a 429 applies to the key (§8), so it pauses every request, not only the one that got it. */
  readonly pause: (retryAfterMs: number) => void
  /** Stops using the key: all waiting calls reject at once. */
  readonly end: () => void
}

/** One rate limit for all requests of the key (§8). Waits before the service has to refuse. */
export const createRateLimit = (options: RateLimitOptions): RateLimit => {
  const { clock, random } = options
  let running = 0
  let pausedUntilMs = 0
  let remaining: number | null = null
  let limit: number | null = null
  let resetAtMs = 0
  const sleepers = new Set<AbortController>()
  const ending = new AbortController()

  const wakeAll = () => {
    for (const sleeper of sleepers) sleeper.abort()
  }

  /** 0: start now. Infinity: unknown until a running request is answered. */
  const waitMs = (): number => {
    const now = clock.monotonicMs()
    if (now < pausedUntilMs) return pausedUntilMs - now
    if (remaining === null) return 0
    if (now >= resetAtMs && resetAtMs !== 0) {
      remaining = limit
      resetAtMs = 0
    }
    if (remaining === null || remaining > 0) return 0
    if (resetAtMs !== 0) return resetAtMs - now
    return running === 0 ? 0 : Number.POSITIVE_INFINITY
  }

  const sleepUntilWoken = async (ms: number, signal: AbortSignal) => {
    const sleeper = new AbortController()
    const wake = () => sleeper.abort()
    sleepers.add(sleeper)
    signal.addEventListener('abort', wake)
    try {
      await options.sleep(Math.min(ms, MAX_RESET_MS) + random() * JITTER_MS, sleeper.signal)
    } catch (error) {
      if (!sleeper.signal.aborted) throw error
    } finally {
      sleepers.delete(sleeper)
      signal.removeEventListener('abort', wake)
    }
  }

  return {
    acquire: async (signal, longestMs) => {
      for (;;) {
        signal.throwIfAborted()
        ending.signal.throwIfAborted()
        const ms = waitMs()
        if (ms <= 0) break
        // Check after each wake-up: the answer to a different request may have extended the wait from seconds to hours.
        if (ms > longestMs && ms !== Number.POSITIVE_INFINITY) return { kind: 'too-long', waitMs: ms }
        await sleepUntilWoken(ms, signal)
      }
      running += 1
      if (remaining !== null) remaining = Math.max(0, remaining - 1)
      return { kind: 'taken' }
    },
    release: () => {
      running -= 1
      wakeAll()
    },
    observe: (headers) => {
      limit = headers.limit
      // The answer does not count requests in flight.
      remaining = Math.max(0, headers.remaining - Math.max(0, running - 1))
      resetAtMs = clock.monotonicMs() + Math.min(headers.resetInMs, MAX_RESET_MS)
    },
    pause: (retryAfterMs) => {
      const until = clock.monotonicMs() + Math.min(retryAfterMs, MAX_PAUSE_MS)
      pausedUntilMs = Math.max(pausedUntilMs, until)
    },
    end: () => {
      ending.abort()
      wakeAll()
    },
  }
}
