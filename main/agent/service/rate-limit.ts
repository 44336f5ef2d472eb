import type { Clock, Random } from '../ports/clock.ts'
import type { RateLimitHeaders } from './answer-headers.ts'

/** Sluice waits as long as the service asks (§7), but at most this long. */
const MAX_PAUSE_MS = 24 * 3_600_000
/** A rate-limit header with a later reset is wrong, and must not stop a station for a night. */
const MAX_RESET_MS = 15 * 60_000

/** A random delay of at most this length, so that waiting requests do not all start together. */
const JITTER_MS = 250

export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>

export type RateLimitOptions = { readonly clock: Clock; readonly random: Random; readonly sleep: Sleep }

/** `taken`: the caller has a turn and must call `release`. `too-long`: the wait for a turn would be `waitMs`. */
export type RateLimitTurn =
  | { readonly kind: 'taken' }
  | { readonly kind: 'too-long'; readonly waitMs: number }

export type RateLimit = {
  /**
   * Waits for a turn. Returns `too-long` as soon as it is clear that the wait exceeds `longestMs`. Rejects only when
   * `signal` aborts or after `end`.
   */
  readonly acquire: (signal: AbortSignal, longestMs: number) => Promise<RateLimitTurn>
  readonly release: () => void
  readonly observe: (headers: RateLimitHeaders) => void
  /** §7: a 429 applies to the key (§8), so it pauses all requests, not only the refused one. */
  readonly pause: (retryAfterMs: number) => void
  /** Rejects all waiting calls. Call this when the key is no longer used. */
  readonly end: () => void
}

/** One rate limit for all requests of the key (§8). Requests wait here, so that the service need not refuse them. */
export const createRateLimit = (options: RateLimitOptions): RateLimit => {
  const { clock, random } = options
  let runningRequests = 0
  let pausedUntilMs = 0
  let remaining: number | null = null
  let limit: number | null = null
  let resetAtMs = 0
  const sleepers = new Set<AbortController>()
  const ending = new AbortController()

  const wakeAll = () => {
    for (const sleeper of sleepers) sleeper.abort()
  }

  /** The time until the next turn. 0: now. Infinity: unknown until the service answers a running request. */
  const waitUntilTurnMs = (): number => {
    const nowMs = clock.monotonicMs()
    if (nowMs < pausedUntilMs) return pausedUntilMs - nowMs
    if (remaining === null) return 0
    if (nowMs >= resetAtMs && resetAtMs !== 0) {
      remaining = limit
      resetAtMs = 0
    }
    if (remaining === null || remaining > 0) return 0
    if (resetAtMs !== 0) return resetAtMs - nowMs
    return runningRequests === 0 ? 0 : Number.POSITIVE_INFINITY
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
        const ms = waitUntilTurnMs()
        if (ms <= 0) break
        // Check this again after each wait, because another answer may have extended it to hours.
        if (ms > longestMs && ms !== Number.POSITIVE_INFINITY) return { kind: 'too-long', waitMs: ms }
        await sleepUntilWoken(ms, signal)
      }
      runningRequests += 1
      if (remaining !== null) remaining = Math.max(0, remaining - 1)
      return { kind: 'taken' }
    },
    release: () => {
      runningRequests -= 1
      wakeAll()
    },
    observe: (headers) => {
      limit = headers.limit
      // The header does not count the other requests in flight.
      remaining = Math.max(0, headers.remaining - Math.max(0, runningRequests - 1))
      resetAtMs = clock.monotonicMs() + Math.min(headers.resetInMs, MAX_RESET_MS)
    },
    pause: (retryAfterMs) => {
      const untilMs = clock.monotonicMs() + Math.min(retryAfterMs, MAX_PAUSE_MS)
      pausedUntilMs = Math.max(pausedUntilMs, untilMs)
    },
    end: () => {
      ending.abort()
      wakeAll()
    },
  }
}
