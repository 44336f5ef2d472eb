import type { TransferSettings } from '../../../shared/settings/settings.ts'
import type { SendingRate } from './sending-rate.ts'
import { type OpenSpan, openSpans } from './upload-windows.ts'
import { eachHour, nightEnd, type UsualRecording, usualBetween } from './usual-recording.ts'

/** Further ahead nobody wants to know it by the hour. */
const HORIZON_MS = 14 * 86_400_000
/** Four of five lie inside this many standard deviations. */
const RANGE_DEVIATIONS = 1.28
export const BYTES_PER_MBIT = 125_000

export type ForecastInput = {
  readonly nowMs: number
  /** Nothing is sent before: the end of a pause. */
  readonly fromMs: number
  /** What waits; more than none. */
  readonly bytes: number
  readonly transfer: Pick<TransferSettings, 'windows' | 'limit_mbit_per_s'>
  /** Until then, a user uploads outside the upload hours. */
  readonly liftedUntilMs?: number
  readonly rate: SendingRate
  /** What is usually recorded, where that is known. */
  readonly usual: UsualRecording | null
}

/** Unrounded. Null for what lies beyond the horizon. */
export type UploadForecast = {
  readonly startsAtMs: number | null
  readonly doneAtMs: number | null
  readonly earliestMs: number | null
  readonly latestMs: number | null
  /** The end of the upload hours that are now or next. */
  readonly deadlineMs: number | null
  /** On average, while sending may run. */
  readonly bytesPerSecond: number
  /** How much can be sent before the deadline. */
  readonly capacityBytes: number | null
  /** With what is usually still recorded before the deadline, or before noon where there is none. */
  readonly more: {
    readonly bytes: number
    readonly bytesShort: number
    readonly doneAtMs: number | null
  } | null
}

/** At most an hour, in which the line carries the same all the time. */
type Stretch = { readonly fromMs: number; readonly toMs: number; readonly bytesPerMs: number }

const carries = ({ fromMs, toMs, bytesPerMs }: Stretch): number => (toMs - fromMs) * bytesPerMs

const hoursOf = (
  fromMs: number,
  toMs: number,
  bytesPerSecondAt: (atMs: number) => number,
): readonly Stretch[] =>
  [...eachHour(fromMs, toMs)].map((hour) => ({ ...hour, bytesPerMs: bytesPerSecondAt(hour.fromMs) / 1000 }))

/** All the time from now on, the closed hours too. `times`: how much better the line is than expected. */
const timeline = (
  spans: readonly OpenSpan[],
  nowMs: number,
  rate: SendingRate,
  times = 1,
): readonly Stretch[] => {
  const stretches: Stretch[] = []
  let reachedMs = nowMs
  for (const { fromMs, toMs, limitMbitPerS } of spans) {
    const most = limitMbitPerS === null ? Number.POSITIVE_INFINITY : limitMbitPerS * BYTES_PER_MBIT
    stretches.push(
      ...hoursOf(reachedMs, fromMs, () => 0),
      ...hoursOf(fromMs, toMs, (atMs) => Math.min(rate.bytesPerSecondAt(atMs) * times, most)),
    )
    reachedMs = toMs
  }
  return stretches
}

const whenSent = (bytes: number, stretches: readonly Stretch[]): number | null => {
  let left = bytes
  for (const stretch of stretches) {
    if (left <= carries(stretch)) return stretch.fromMs + left / stretch.bytesPerMs
    left -= carries(stretch)
  }
  return null
}

/** When the upload hours end that are open first; null if they end after the forecast. */
const firstClosing = (spans: readonly OpenSpan[], horizonMs: number): number | null => {
  let endMs: number | null = null
  for (const { fromMs, toMs } of spans) {
    if (endMs !== null && fromMs > endMs) break
    endMs = toMs
  }
  return endMs === null || endMs >= horizonMs ? null : endMs
}

/** Hour by hour, because nothing is sent before it is there. */
const withMore = (
  { bytes, nowMs, usual }: ForecastInput,
  stretches: readonly Stretch[],
  deadlineMs: number | null,
): UploadForecast['more'] => {
  if (usual === null) return null
  const untilMs = deadlineMs ?? nightEnd(nowMs)
  const moreBytes = usualBetween(usual, nowMs, untilMs)
  if (moreBytes < 1) return null
  let waits = bytes
  let bytesShort = 0
  let doneAtMs: number | null = null
  for (const stretch of stretches) {
    const { fromMs, toMs, bytesPerMs } = stretch
    if (fromMs >= untilMs && waits === 0) break
    const comes = usualBetween(usual, fromMs, Math.min(toMs, untilMs))
    waits += comes
    if (waits > carries(stretch)) {
      waits -= carries(stretch)
      doneAtMs = null
    } else if (waits > 0) {
      doneAtMs = comes > 0 ? toMs : fromMs + waits / bytesPerMs
      waits = 0
    }
    if (toMs <= untilMs) bytesShort = waits
  }
  return { bytes: moreBytes, bytesShort: deadlineMs === null ? 0 : bytesShort, doneAtMs }
}

/** When what waits has been sent, at the measured rate and inside the upload hours. */
export const forecastUpload = (input: ForecastInput): UploadForecast => {
  const { bytes, rate, transfer, nowMs } = input
  const fromMs = Math.max(input.fromMs, nowMs)
  const spans = openSpans(transfer, fromMs, fromMs + HORIZON_MS, input.liftedUntilMs)
  const expected = timeline(spans, nowMs, rate)
  const off = Math.exp(RANGE_DEVIATIONS * rate.spread)
  const deadlineMs = firstClosing(spans, fromMs + HORIZON_MS)
  const doneAtMs = whenSent(bytes, expected)
  const before = (untilMs: number) =>
    expected.filter(({ toMs, bytesPerMs }) => toMs <= untilMs && bytesPerMs > 0)
  const sum = (stretches: readonly Stretch[], number: (stretch: Stretch) => number) =>
    stretches.reduce((all, stretch) => all + number(stretch), 0)
  // The hour in which it ends counts as a whole.
  const sending = expected.filter(
    (stretch) => stretch.bytesPerMs > 0 && stretch.fromMs < (doneAtMs ?? Number.POSITIVE_INFINITY),
  )
  const sendingMs = sum(sending, (stretch) => stretch.toMs - stretch.fromMs)
  return {
    startsAtMs: spans[0]?.fromMs ?? null,
    doneAtMs,
    earliestMs: whenSent(bytes, timeline(spans, nowMs, rate, off)),
    latestMs: whenSent(bytes, timeline(spans, nowMs, rate, 1 / off)),
    deadlineMs,
    bytesPerSecond: sendingMs === 0 ? 0 : (sum(sending, carries) / sendingMs) * 1000,
    capacityBytes: deadlineMs === null ? null : sum(before(deadlineMs), carries),
    more: withMore(input, expected, deadlineMs),
  }
}
