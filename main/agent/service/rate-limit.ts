import type { Clock, Random } from '../ports/clock.ts'
import type { RateLimitHeaders } from './answer-headers.ts'

/** §7 is honoured to the second; beyond a day a header is a mistake. */
const LONGEST_PAUSE_MS = 24 * 3_600_000
/** A budget that is not refilled for so long is a wrong header: it must not silence a station for a night. */
const LONGEST_REFILL_MS = 15 * 60_000

/** Requests that waited together do not start together. */
const SPREAD_MS = 250

export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>

export type RateLimitOptions = { readonly clock: Clock; readonly random: Random; readonly sleep: Sleep }

/** `taken`: handed back with `release`. `too-long`: none was taken, and it would be waited for so long. */
export type Turn = { readonly kind: 'taken' } | { readonly kind: 'too-long'; readonly waitMs: number }

export type RateLimit = {
  /**
   * Waits for a turn, but not for one that is known to be more than `longestMs` away, be it known only while it is
   * waited for. Rejects only when `signal` aborts, or at the end.
   */
  readonly acquire: (signal: AbortSignal, longestMs: number) => Promise<Turn>
  readonly release: () => void
  readonly observe: (headers: RateLimitHeaders) => void
  /** §7: a 429 counts for the key (§8), so for every request and not only for the one that met it. */
  readonly pause: (retryAfterMs: number) => void
  /** The key is not used any more: whoever waits hears it at once, and nobody gets a turn. */
  readonly end: () => void
}

/** One budget for all requests of the key (§8): stops before the service has to say no. */
export const createRateLimit = (options: RateLimitOptions): RateLimit => {
  const { clock, random } = options
  let running = 0
  let pausedUntilMs = 0
  let left: number | null = null
  let limit: number | null = null
  let resetAtMs = 0
  const sleepers = new Set<AbortController>()
  const ending = new AbortController()

  const wakeAll = () => {
    for (const sleeper of sleepers) sleeper.abort()
  }

  /** 0 means "go". Infinity: only the answer of a running request can tell. */
  const waitMs = (): number => {
    const now = clock.monotonicMs()
    if (now < pausedUntilMs) return pausedUntilMs - now
    if (left === null) return 0
    if (now >= resetAtMs && resetAtMs !== 0) {
      left = limit
      resetAtMs = 0
    }
    if (left === null || left > 0) return 0
    if (resetAtMs !== 0) return resetAtMs - now
    return running === 0 ? 0 : Number.POSITIVE_INFINITY
  }

  const sleepUntilWoken = async (ms: number, signal: AbortSignal) => {
    const sleeper = new AbortController()
    const wake = () => sleeper.abort()
    sleepers.add(sleeper)
    signal.addEventListener('abort', wake)
    try {
      await options.sleep(Math.min(ms, LONGEST_REFILL_MS) + random() * SPREAD_MS, sleeper.signal)
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
        // Asked at each waking: the answer to another request may have made hours of seconds.
        if (ms > longestMs && ms !== Number.POSITIVE_INFINITY) return { kind: 'too-long', waitMs: ms }
        await sleepUntilWoken(ms, signal)
      }
      running += 1
      if (left !== null) left = Math.max(0, left - 1)
      return { kind: 'taken' }
    },
    release: () => {
      running -= 1
      wakeAll()
    },
    observe: (headers) => {
      limit = headers.limit
      // The answer does not yet count those that are still on their way.
      left = Math.max(0, headers.remaining - Math.max(0, running - 1))
      resetAtMs = clock.monotonicMs() + Math.min(headers.resetInMs, LONGEST_REFILL_MS)
    },
    pause: (retryAfterMs) => {
      const until = clock.monotonicMs() + Math.min(retryAfterMs, LONGEST_PAUSE_MS)
      pausedUntilMs = Math.max(pausedUntilMs, until)
    },
    end: () => {
      ending.abort()
      wakeAll()
    },
  }
}
