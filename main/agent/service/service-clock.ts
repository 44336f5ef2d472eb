import type { Clock } from '../ports/clock.ts'

export type ClockSample = { readonly dateMs: number; readonly sentMs: number; readonly receivedMs: number }

export type ServiceClock = {
  readonly observe: (sample: ClockSample) => void
  readonly nowMs: () => number
  readonly offsetMs: () => number | null
  /** The monotonic clock may have stood still during sleep: what it carried is no longer true. */
  readonly forgetMonotonic: () => void
}

/** `Date` counts whole seconds. */
const DATE_STEP_MS = 1000

/** Two quartzes drift apart; 200 ppm is worse than any PC. */
const DRIFT = 0.0002

/**
 * The service's time from its `Date` headers, on our monotonic clock, so that setting the PC's clock changes
 * nothing. Each answer bounds the difference from both sides: the server wrote its date between our sending and
 * our receiving. Taken alone that is the half-round-trip estimate; cut with the earlier bounds it gets finer than
 * the whole seconds of a single header.
 */
export const createServiceClock = (clock: Clock): ServiceClock => {
  let bounds: { readonly low: number; readonly high: number; readonly atMs: number } | null = null
  let wallOffsetMs: number | null = null

  const now = (): number | null =>
    bounds === null ? null : clock.monotonicMs() + (bounds.low + bounds.high) / 2

  return {
    observe: ({ dateMs, sentMs, receivedMs }) => {
      const fresh = { low: dateMs - receivedMs, high: dateMs + DATE_STEP_MS - sentMs, atMs: receivedMs }
      if (bounds === null) bounds = fresh
      else {
        const drift = Math.max(0, receivedMs - bounds.atMs) * DRIFT
        const low = Math.max(bounds.low - drift, fresh.low)
        const high = Math.min(bounds.high + drift, fresh.high)
        // No common ground: one of the clocks was set. The newest word counts.
        bounds = low <= high ? { low, high, atMs: receivedMs } : fresh
      }
      wallOffsetMs = (now() ?? 0) - clock.wallMs()
    },
    nowMs: () => now() ?? clock.wallMs() + (wallOffsetMs ?? 0),
    offsetMs: () => {
      const service = now()
      return service === null ? wallOffsetMs : service - clock.wallMs()
    },
    forgetMonotonic: () => {
      bounds = null
    },
  }
}
