import type { Clock } from '../ports/clock.ts'

export type ClockSample = { readonly dateMs: number; readonly sentMs: number; readonly receivedMs: number }

export type ServiceClock = {
  readonly observe: (sample: ClockSample) => void
  /** In whole milliseconds, because the journal stores times as integers. */
  readonly nowMs: () => number
  readonly offsetMs: () => number | null
  /**
   * Call after sleep, because the monotonic clock may have stopped. Until the next answer, `nowMs` uses this PC's wall
   * clock and the last known offset.
   */
  readonly forgetMonotonic: () => void
}

/** The `Date` header has whole seconds. */
const DATE_STEP_MS = 1000

/** The clock of a PC drifts by at most 200 ppm. */
const DRIFT = 0.0002

/**
 * Derives the service's time from its `Date` headers and this PC's monotonic clock, so that setting the PC's clock
 * changes nothing. The service wrote the date between the request and the answer, so each answer gives bounds for the
 * difference of the clocks. The bounds of many answers together are more exact than the whole seconds of one header.
 */
export const createServiceClock = (clock: Clock): ServiceClock => {
  let bounds: { readonly low: number; readonly high: number; readonly atMs: number } | null = null
  let wallOffsetMs: number | null = null

  const estimateNow = (): number | null =>
    bounds === null ? null : clock.monotonicMs() + (bounds.low + bounds.high) / 2

  return {
    observe: ({ dateMs, sentMs, receivedMs }) => {
      const newBounds = { low: dateMs - receivedMs, high: dateMs + DATE_STEP_MS - sentMs, atMs: receivedMs }
      if (bounds === null) bounds = newBounds
      else {
        const drift = Math.max(0, receivedMs - bounds.atMs) * DRIFT
        const low = Math.max(bounds.low - drift, newBounds.low)
        const high = Math.min(bounds.high + drift, newBounds.high)
        // If the bounds do not overlap, for example because the service's clock was set, trust the newest answer.
        bounds = low <= high ? { low, high, atMs: receivedMs } : newBounds
      }
      wallOffsetMs = (estimateNow() ?? 0) - clock.wallMs()
    },
    nowMs: () => Math.floor(estimateNow() ?? clock.wallMs() + (wallOffsetMs ?? 0)),
    offsetMs: () => {
      const serviceNowMs = estimateNow()
      return serviceNowMs === null ? wallOffsetMs : serviceNowMs - clock.wallMs()
    },
    forgetMonotonic: () => {
      bounds = null
    },
  }
}
