import type { Clock } from '../ports/clock.ts'

export type ClockSample = { readonly dateMs: number; readonly sentMs: number; readonly receivedMs: number }

export type ServiceClock = {
  readonly observe: (sample: ClockSample) => void
  /** Whole milliseconds, because the journal stores times as integers. */
  readonly nowMs: () => number
  readonly offsetMs: () => number | null
  /** The monotonic clock may have stopped during sleep, which makes its bounds invalid. */
  readonly forgetMonotonic: () => void
}

/** `Date` has whole seconds. */
const DATE_STEP_MS = 1000

/** Two clocks drift apart; no PC drifts more than 200 ppm. */
const DRIFT = 0.0002

/**
 * Derives the service's time from its `Date` headers and our monotonic clock, so that setting the PC's clock changes
 * nothing. Each answer gives bounds for the difference: the server wrote the date between our send and our receive.
 * Intersecting the bounds of many answers gives a time that is finer than the whole seconds of one header.
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
        // The bounds do not overlap: one of the clocks was set. Trust the newest answer.
        bounds = low <= high ? { low, high, atMs: receivedMs } : fresh
      }
      wallOffsetMs = (now() ?? 0) - clock.wallMs()
    },
    nowMs: () => Math.floor(now() ?? clock.wallMs() + (wallOffsetMs ?? 0)),
    offsetMs: () => {
      const service = now()
      return service === null ? wallOffsetMs : service - clock.wallMs()
    },
    forgetMonotonic: () => {
      bounds = null
    },
  }
}
