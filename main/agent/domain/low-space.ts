import type { Filling } from '../../../shared/status/free-space.ts'
import { eachHour, nightEnd, type UsualRecording } from './usual-recording.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** To the minute it is not known. */
const ROUND_MS = 10 * 60_000
/** Further ahead the habits of a station change. */
const MOST_NIGHTS = 60
/** A recording more or less says little: so much of a usual day is taken to have come as usual already. */
const AS_USUAL_SHARE = 0.25
/** Below both it is low, whatever is usual. */
const LOW_SHARE = 0.02
const LOW_BYTES = 20_000_000_000

export type SpaceInput = {
  readonly nowMs: number
  readonly freeBytes: number
  readonly usual: UsualRecording | null
  /** What was recorded since the night began, and what usually is by now. */
  readonly tonight: { readonly bytes: number; readonly usualBytes: number }
}

/** How much busier than usual tonight has been so far. */
const howUnlike = ({ bytes, usualBytes }: SpaceInput['tonight'], usual: UsualRecording): number => {
  const asUsual = usual.bytesPerDay * AS_USUAL_SHARE
  return (bytes + asUsual) / (usualBytes + asUsual)
}

/** When the drive is full: tonight at tonight's rate, later at the usual one. Nothing is taken to be deleted. */
const whenFull = (input: SpaceInput): number | 'never' | 'long' | 'unknown' => {
  const { nowMs, usual } = input
  if (usual === null) return 'unknown'
  if (usual.bytesPerDay <= 0) return 'never'
  const tonightEndsMs = nightEnd(nowMs)
  const unlike = howUnlike(input.tonight, usual)
  let free = input.freeBytes
  for (const hour of eachHour(nowMs, nowMs + MOST_NIGHTS * DAY_MS)) {
    const share = (hour.toMs - hour.fromMs) / HOUR_MS
    const times = hour.fromMs < tonightEndsMs ? unlike : 1
    const comes = usual.bytesPerHourAt(hour.fromMs) * share * times
    if (comes >= free && comes > 0) return hour.fromMs + (hour.toMs - hour.fromMs) * Math.max(0, free / comes)
    free -= comes
  }
  return 'long'
}

/** In words that are no more exact than what is known. */
export const fillingOf = (input: SpaceInput): Filling => {
  const full = whenFull(input)
  if (typeof full === 'string') return { kind: full }
  const endsMs = nightEnd(input.nowMs)
  if (full <= endsMs) {
    const near = Math.round(full / ROUND_MS) * ROUND_MS
    return { kind: 'tonight', at: new Date(Math.max(near, input.nowMs)).toISOString() }
  }
  return { kind: 'nights', nights: 1 + Math.ceil((full - endsMs) / DAY_MS) }
}

export const isLow = (
  space: { readonly totalBytes: number; readonly freeBytes: number },
  fills: Filling,
): boolean =>
  fills.kind === 'tonight' || (space.freeBytes < LOW_BYTES && space.freeBytes < space.totalBytes * LOW_SHARE)
