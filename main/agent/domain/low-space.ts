import type { Filling } from '../../../shared/status/free-space.ts'
import { eachHour, nightEnd, type UsualRecording } from './usual-recording.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Rounds times to this step, because the forecast is not exact to the minute. */
const ROUND_MS = 10 * 60_000
/** Ends the forecast after this many nights, because a station's habits change. */
const MAX_NIGHTS = 60
/**
 * Added to tonight's bytes and to the usual bytes, as a share of a usual day: early in the night, one recording more or
 * less means little.
 */
const USUAL_DAY_SHARE = 0.25
/** Less free space than both limits counts as low, whatever the forecast says. */
const LOW_SHARE = 0.02
const LOW_BYTES = 20_000_000_000

export type SpaceInput = {
  readonly nowMs: number
  readonly freeBytes: number
  readonly usual: UsualRecording | null
  /** Bytes recorded since noon, and the bytes usually recorded by this time. */
  readonly tonight: { readonly bytes: number; readonly usualBytes: number }
}

/** How busy tonight has been so far; 1 is as usual. */
const busyFactorOf = ({ bytes, usualBytes }: SpaceInput['tonight'], usual: UsualRecording): number => {
  const usualShareBytes = usual.bytesPerDay * USUAL_DAY_SHARE
  return (bytes + usualShareBytes) / (usualBytes + usualShareBytes)
}

/** When the drive will be full if no file is deleted. Uses tonight's rate until the night ends, then the usual rate. */
const whenFull = (input: SpaceInput): number | 'never' | 'long' | 'unknown' => {
  const { nowMs, usual } = input
  if (usual === null) return 'unknown'
  if (usual.bytesPerDay <= 0) return 'never'
  const tonightEndsMs = nightEnd(nowMs)
  const busyFactor = busyFactorOf(input.tonight, usual)
  let freeBytes = input.freeBytes
  for (const hour of eachHour(nowMs, nowMs + MAX_NIGHTS * DAY_MS)) {
    const share = (hour.toMs - hour.fromMs) / HOUR_MS
    const factor = hour.fromMs < tonightEndsMs ? busyFactor : 1
    const arrivingBytes = usual.bytesPerHourAt(hour.fromMs) * share * factor
    if (arrivingBytes >= freeBytes && arrivingBytes > 0)
      return hour.fromMs + (hour.toMs - hour.fromMs) * Math.max(0, freeBytes / arrivingBytes)
    freeBytes -= arrivingBytes
  }
  return 'long'
}

/** When the drive will be full, no more exact than the forecast. */
export const fillingOf = (input: SpaceInput): Filling => {
  const fullAtMs = whenFull(input)
  if (typeof fullAtMs === 'string') return { kind: fullAtMs }
  const endsMs = nightEnd(input.nowMs)
  if (fullAtMs <= endsMs) {
    const roundedMs = Math.round(fullAtMs / ROUND_MS) * ROUND_MS
    return { kind: 'tonight', at: new Date(Math.max(roundedMs, input.nowMs)).toISOString() }
  }
  return { kind: 'nights', nights: 1 + Math.ceil((fullAtMs - endsMs) / DAY_MS) }
}

export const isLow = (
  space: { readonly totalBytes: number; readonly freeBytes: number },
  fills: Filling,
): boolean =>
  fills.kind === 'tonight' || (space.freeBytes < LOW_BYTES && space.freeBytes < space.totalBytes * LOW_SHARE)
