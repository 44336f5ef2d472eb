/** The bytes that Sluice found in one hour. */
export type RecordedHour = { readonly atMs: number; readonly bytes: number }

/** A station's usual recording volume, by weekday and hour. */
export type UsualRecording = {
  /** The usual bytes of the hour that contains this moment. */
  readonly bytesPerHourAt: (atMs: number) => number
  /** The average per day, with the quiet days. */
  readonly bytesPerDay: number
}

const HOUR_MS = 3_600_000
const LOOK_BACK_DAYS = 28
/** With fewer days, Sluice cannot know the usual volume. */
const MIN_DAYS = 2
const ENOUGH_DAYS = 3
/**
 * A day with more than this many times the usual bytes does not count: someone may have connected a drive of old
 * recordings.
 */
const OUTLIER_FACTOR = 6

const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

const average = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length

const isWeekend = (day: number): boolean => day === 0 || day === 6

type Day = { readonly weekday: number; readonly hours: readonly number[]; readonly bytes: number }

/** The complete days before today that the station watched, newest first, without outliers. */
const daysBefore = (recorded: readonly RecordedHour[], sinceMs: number, nowMs: number): readonly Day[] => {
  const bytesByHour = new Map(recorded.map(({ atMs, bytes }) => [Math.floor(atMs / HOUR_MS), bytes]))
  const days: Day[] = []
  for (let daysAgo = 1; daysAgo <= LOOK_BACK_DAYS; daysAgo += 1) {
    const start = new Date(nowMs)
    start.setHours(0, 0, 0, 0)
    start.setDate(start.getDate() - daysAgo)
    if (start.getTime() < sinceMs) break
    const hours = Array.from({ length: 24 }, (_, hour) => {
      const at = new Date(start).setHours(hour)
      return bytesByHour.get(Math.floor(at / HOUR_MS)) ?? 0
    })
    days.push({ weekday: start.getDay(), hours, bytes: hours.reduce((sum, bytes) => sum + bytes, 0) })
  }
  const usualBytes = median(days.map(({ bytes }) => bytes).filter((bytes) => bytes > 0))
  return days.filter(({ bytes }) => bytes <= usualBytes * OUTLIER_FACTOR)
}

/** Null if the station has not watched for long enough to know its usual volume. `sinceMs`: when it began. */
export const usualRecording = (
  recorded: readonly RecordedHour[],
  sinceMs: number | null,
  nowMs: number,
): UsualRecording | null => {
  if (sinceMs === null) return null
  const days = daysBefore(recorded, sinceMs, nowMs)
  if (days.length < MIN_DAYS) return null
  const similarDays = (weekday: number): readonly Day[] => {
    const sameWeekday = days.filter((day) => day.weekday === weekday)
    if (sameWeekday.length >= ENOUGH_DAYS) return sameWeekday
    const similar = days.filter((day) => isWeekend(day.weekday) === isWeekend(weekday))
    return similar.length > 0 ? similar : days
  }
  const week = Array.from({ length: 7 }, (_, weekday) => {
    const daysOfWeekday = similarDays(weekday)
    return Array.from({ length: 24 }, (__, hour) =>
      average(daysOfWeekday.map(({ hours }) => hours[hour] ?? 0)),
    )
  })
  return {
    bytesPerHourAt: (atMs) => {
      const at = new Date(atMs)
      return week[at.getDay()]?.[at.getHours()] ?? 0
    },
    bytesPerDay: average(week.map((hours) => hours.reduce((sum, bytes) => sum + bytes, 0))),
  }
}

/** In forecasts, a night ends at noon. Elsewhere, it ends at 18:00 (`shared/status/nights.ts`). */
export const nightEnd = (nowMs: number): number => {
  const noon = new Date(nowMs)
  if (noon.getHours() >= 12) noon.setDate(noon.getDate() + 1)
  noon.setHours(12, 0, 0, 0)
  return noon.getTime()
}

/** The hours between two moments. The first and the last may be partial. */
export const eachHour = function* (
  fromMs: number,
  untilMs: number,
): Generator<{ readonly fromMs: number; readonly toMs: number }> {
  for (let atMs = fromMs; atMs < untilMs; ) {
    const toMs = Math.min((Math.floor(atMs / HOUR_MS) + 1) * HOUR_MS, untilMs)
    yield { fromMs: atMs, toMs }
    atMs = toMs
  }
}

export const usualBetween = (usual: UsualRecording, fromMs: number, untilMs: number): number => {
  let bytes = 0
  for (const hour of eachHour(fromMs, untilMs))
    bytes += usual.bytesPerHourAt(hour.fromMs) * ((hour.toMs - hour.fromMs) / HOUR_MS)
  return bytes
}
