import type { TransferSettings } from '../../../shared/settings/settings.ts'
import type { SendingRate } from './sending-rate.ts'
import { type OpenSpan, openSpans } from './upload-windows.ts'
import { eachHour, nightEnd, type UsualRecording, usualBetween } from './usual-recording.ts'

/** Forecasts look at most this far ahead. */
const HORIZON_MS = 14 * 86_400_000
/** Four out of five values lie within this many standard deviations. */
const RANGE_DEVIATIONS = 1.28
export const BYTES_PER_MBIT = 125_000

export type ForecastInput = {
  readonly nowMs: number
  /** When uploads may start: the end of the pause, or now. */
  readonly fromMs: number
  /** The bytes still to send; at least 1. */
  readonly bytes: number
  readonly transfer: Pick<TransferSettings, 'windows' | 'limit_mbit_per_s'>
  /** A user requested that uploads ignore the upload hours until this time. */
  readonly hoursIgnoredUntilMs?: number
  readonly rate: SendingRate
  /** Null if the usual recording volume is not known yet. */
  readonly usual: UsualRecording | null
}

/** Times are not rounded. Null means beyond the horizon. */
export type UploadForecast = {
  readonly startsAtMs: number | null
  readonly doneAtMs: number | null
  readonly earliestMs: number | null
  readonly latestMs: number | null
  /** The end of the current or next upload hours. */
  readonly deadlineMs: number | null
  /** The average speed until everything is sent. Closed hours do not count. */
  readonly bytesPerSecond: number
  /** How many bytes can be sent before the deadline. Null without a deadline. */
  readonly capacityBytes: number | null
  /**
   * The forecast with the recordings that usually arrive before the deadline or, without a deadline, before the next
   * noon. Null if usually nothing arrives in this time, or if the usual recordings are not known yet.
   */
  readonly withUsual: {
    /** Only the bytes of these usual recordings, without the bytes that already wait. */
    readonly arrivingBytes: number
    /** The bytes left at the deadline; 0 without a deadline. */
    readonly unsentBytes: number
    readonly doneAtMs: number | null
  } | null
}

/** A period of at most an hour with a constant rate. */
type Stretch = { readonly fromMs: number; readonly toMs: number; readonly bytesPerMs: number }

const capacityOf = ({ fromMs, toMs, bytesPerMs }: Stretch): number => (toMs - fromMs) * bytesPerMs

const hoursOf = (
  fromMs: number,
  toMs: number,
  bytesPerSecondAt: (atMs: number) => number,
): readonly Stretch[] =>
  [...eachHour(fromMs, toMs)].map((hour) => ({ ...hour, bytesPerMs: bytesPerSecondAt(hour.fromMs) / 1000 }))

/** Divides the time from now on into stretches. `rateFactor` scales the expected rate. */
const timeline = (
  spans: readonly OpenSpan[],
  nowMs: number,
  rate: SendingRate,
  rateFactor = 1,
): readonly Stretch[] => {
  const stretches: Stretch[] = []
  let reachedMs = nowMs
  for (const { fromMs, toMs, limitMbitPerS } of spans) {
    const maxBytesPerSecond =
      limitMbitPerS === null ? Number.POSITIVE_INFINITY : limitMbitPerS * BYTES_PER_MBIT
    stretches.push(
      ...hoursOf(reachedMs, fromMs, () => 0),
      ...hoursOf(fromMs, toMs, (atMs) =>
        Math.min(rate.bytesPerSecondAt(atMs) * rateFactor, maxBytesPerSecond),
      ),
    )
    reachedMs = toMs
  }
  return stretches
}

const whenSent = (bytes: number, stretches: readonly Stretch[]): number | null => {
  let leftBytes = bytes
  for (const stretch of stretches) {
    if (leftBytes <= capacityOf(stretch)) return stretch.fromMs + leftBytes / stretch.bytesPerMs
    leftBytes -= capacityOf(stretch)
  }
  return null
}

/** When the current or next upload hours end. Null if this is beyond the horizon. */
const firstClosing = (spans: readonly OpenSpan[], horizonMs: number): number | null => {
  let endMs: number | null = null
  for (const { fromMs, toMs } of spans) {
    if (endMs !== null && fromMs > endMs) break
    endMs = toMs
  }
  return endMs === null || endMs >= horizonMs ? null : endMs
}

/** Calculates hour by hour, because a recording cannot be sent before it exists. */
const withUsualRecordings = (
  { bytes, nowMs, usual }: ForecastInput,
  stretches: readonly Stretch[],
  deadlineMs: number | null,
): UploadForecast['withUsual'] => {
  if (usual === null) return null
  const untilMs = deadlineMs ?? nightEnd(nowMs)
  const arrivingBytes = usualBetween(usual, nowMs, untilMs)
  if (arrivingBytes < 1) return null
  let waitingBytes = bytes
  let unsentBytes = 0
  let doneAtMs: number | null = null
  for (const stretch of stretches) {
    const { fromMs, toMs, bytesPerMs } = stretch
    if (fromMs >= untilMs && waitingBytes === 0) break
    const newBytes = usualBetween(usual, fromMs, Math.min(toMs, untilMs))
    waitingBytes += newBytes
    if (waitingBytes > capacityOf(stretch)) {
      waitingBytes -= capacityOf(stretch)
      doneAtMs = null
    } else if (waitingBytes > 0) {
      doneAtMs = newBytes > 0 ? toMs : fromMs + waitingBytes / bytesPerMs
      waitingBytes = 0
    }
    if (toMs <= untilMs) unsentBytes = waitingBytes
  }
  return { arrivingBytes, unsentBytes: deadlineMs === null ? 0 : unsentBytes, doneAtMs }
}

/** Forecasts when the waiting bytes will be sent, at the measured rate and within the upload hours. */
export const forecastUpload = (input: ForecastInput): UploadForecast => {
  const { bytes, rate, transfer, nowMs } = input
  const fromMs = Math.max(input.fromMs, nowMs)
  const spans = openSpans(transfer, fromMs, fromMs + HORIZON_MS, input.hoursIgnoredUntilMs)
  const expected = timeline(spans, nowMs, rate)
  const rangeFactor = Math.exp(RANGE_DEVIATIONS * rate.spread)
  const deadlineMs = firstClosing(spans, fromMs + HORIZON_MS)
  const doneAtMs = whenSent(bytes, expected)
  const openBefore = (untilMs: number) =>
    expected.filter(({ toMs, bytesPerMs }) => toMs <= untilMs && bytesPerMs > 0)
  const sum = (stretches: readonly Stretch[], numberOf: (stretch: Stretch) => number) =>
    stretches.reduce((all, stretch) => all + numberOf(stretch), 0)
  // The last hour counts completely, even if it is only partly needed.
  const sending = expected.filter(
    (stretch) => stretch.bytesPerMs > 0 && stretch.fromMs < (doneAtMs ?? Number.POSITIVE_INFINITY),
  )
  const sendingMs = sum(sending, (stretch) => stretch.toMs - stretch.fromMs)
  return {
    startsAtMs: spans[0]?.fromMs ?? null,
    doneAtMs,
    earliestMs: whenSent(bytes, timeline(spans, nowMs, rate, rangeFactor)),
    latestMs: whenSent(bytes, timeline(spans, nowMs, rate, 1 / rangeFactor)),
    deadlineMs,
    bytesPerSecond: sendingMs === 0 ? 0 : (sum(sending, capacityOf) / sendingMs) * 1000,
    capacityBytes: deadlineMs === null ? null : sum(openBefore(deadlineMs), capacityOf),
    withUsual: withUsualRecordings(input, expected, deadlineMs),
  }
}
