import type { Filling } from '../../../shared/status/free-space.ts'
import { eachHour, nightEnd, type UsualRecording } from './usual-recording.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Times are rounded to this, because the forecast is not exact to the minute. */
const ROUND_MS = 10 * 60_000
/** The forecast looks no further ahead, because a station's habits change. */
const MAX_NIGHTS = 60
/** One recording more or less means little. So the comparison adds this share of a usual day to both sides. */
const AS_USUAL_SHARE = 0.25
/** Free space below both limits is low, whatever the forecast. */
const LOW_SHARE = 0.02
const LOW_BYTES = 20_000_000_000

export type SpaceInput = {
  readonly nowMs: number
  readonly freeBytes: number
  readonly usual: UsualRecording | null
  /** Bytes recorded since the night began, and the usual bytes by this time. */
  readonly tonight: { readonly bytes: number; readonly usualBytes: number }
}

/** How much busier than usual tonight has been so far. */
const busyFactorOf = ({ bytes, usualBytes }: SpaceInput['tonight'], usual: UsualRecording): number => {
  const asUsual = usual.bytesPerDay * AS_USUAL_SHARE
  return (bytes + asUsual) / (usualBytes + asUsual)
}

/** When the drive is full: tonight at tonight's rate, later at the usual rate. Assumes that no file is deleted. */
const whenFull = (input: SpaceInput): number | 'never' | 'long' | 'unknown' => {
  const { nowMs, usual } = input
  if (usual === null) return 'unknown'
  if (usual.bytesPerDay <= 0) return 'never'
  const tonightEndsMs = nightEnd(nowMs)
  const busyFactor = busyFactorOf(input.tonight, usual)
  let free = input.freeBytes
  for (const hour of eachHour(nowMs, nowMs + MAX_NIGHTS * DAY_MS)) {
    const share = (hour.toMs - hour.fromMs) / HOUR_MS
    const times = hour.fromMs < tonightEndsMs ? busyFactor : 1
    const arrivingBytes = usual.bytesPerHourAt(hour.fromMs) * share * times
    if (arrivingBytes >= free && arrivingBytes > 0)
      return hour.fromMs + (hour.toMs - hour.fromMs) * Math.max(0, free / arrivingBytes)
    free -= arrivingBytes
  }
  return 'long'
}

/** Rounds the time, so that the text is no more exact than the forecast. */
export const fillingOf = (input: SpaceInput): Filling => {
  const full = whenFull(input)
  if (typeof full === 'string') return { kind: full }
  const endsMs = nightEnd(input.nowMs)
  if (full <= endsMs) {
    const roundedMs = Math.round(full / ROUND_MS) * ROUND_MS
    return { kind: 'tonight', at: new Date(Math.max(roundedMs, input.nowMs)).toISOString() }
  }
  return { kind: 'nights', nights: 1 + Math.ceil((full - endsMs) / DAY_MS) }
}

export const isLow = (
  space: { readonly totalBytes: number; readonly freeBytes: number },
  fills: Filling,
): boolean =>
  fills.kind === 'tonight' || (space.freeBytes < LOW_BYTES && space.freeBytes < space.totalBytes * LOW_SHARE)
