/** The bytes that were found in one hour. */
export type RecordedHour = { readonly atMs: number; readonly bytes: number }

/** A station's usual recording volume, by weekday and hour. */
export type UsualRecording = {
  /** For the hour that contains this moment. */
  readonly bytesPerHourAt: (atMs: number) => number
  /** The average per day, including quiet days. */
  readonly bytesPerDay: number
}

const HOUR_MS = 3_600_000
const LOOK_BACK_DAYS = 28
/** Fewer days do not show a usual volume. */
const MIN_DAYS = 2
const ENOUGH_DAYS = 3
/** Busier days do not count, such as a day on which a drive full of old recordings was connected. */
const OUTLIER_TIMES = 6

const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

const average = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length

const isWeekend = (day: number): boolean => day === 0 || day === 6

type Day = { readonly weekday: number; readonly hours: readonly number[]; readonly bytes: number }

/** The days before today that the station watched from their start, the newest first. */
const daysBefore = (recorded: readonly RecordedHour[], sinceMs: number, nowMs: number): readonly Day[] => {
  const found = new Map(recorded.map(({ atMs, bytes }) => [Math.floor(atMs / HOUR_MS), bytes]))
  const days: Day[] = []
  for (let back = 1; back <= LOOK_BACK_DAYS; back += 1) {
    const start = new Date(nowMs)
    start.setHours(0, 0, 0, 0)
    start.setDate(start.getDate() - back)
    if (start.getTime() < sinceMs) break
    const hours = Array.from({ length: 24 }, (_, hour) => {
      const at = new Date(start).setHours(hour)
      return found.get(Math.floor(at / HOUR_MS)) ?? 0
    })
    days.push({ weekday: start.getDay(), hours, bytes: hours.reduce((sum, bytes) => sum + bytes, 0) })
  }
  const busy = median(days.map(({ bytes }) => bytes).filter((bytes) => bytes > 0))
  return days.filter(({ bytes }) => bytes <= busy * OUTLIER_TIMES)
}

/** `sinceMs`: when the first recording was found. Null if that was too recent to know the usual volume. */
export const usualRecording = (
  recorded: readonly RecordedHour[],
  sinceMs: number | null,
  nowMs: number,
): UsualRecording | null => {
  if (sinceMs === null) return null
  const days = daysBefore(recorded, sinceMs, nowMs)
  if (days.length < MIN_DAYS) return null
  const like = (weekday: number): readonly Day[] => {
    const same = days.filter((day) => day.weekday === weekday)
    if (same.length >= ENOUGH_DAYS) return same
    const alike = days.filter((day) => isWeekend(day.weekday) === isWeekend(weekday))
    return alike.length > 0 ? alike : days
  }
  const week = Array.from({ length: 7 }, (_, weekday) => {
    const alike = like(weekday)
    return Array.from({ length: 24 }, (__, hour) => average(alike.map(({ hours }) => hours[hour] ?? 0)))
  })
  return {
    bytesPerHourAt: (atMs) => {
      const at = new Date(atMs)
      return week[at.getDay()]?.[at.getHours()] ?? 0
    },
    bytesPerDay: average(week.map((hours) => hours.reduce((sum, bytes) => sum + bytes, 0))),
  }
}

/** A night ends at the next noon. */
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

/** The bytes that are usually recorded between two moments. */
export const usualBetween = (usual: UsualRecording, fromMs: number, untilMs: number): number => {
  let bytes = 0
  for (const hour of eachHour(fromMs, untilMs))
    bytes += usual.bytesPerHourAt(hour.fromMs) * ((hour.toMs - hour.fromMs) / HOUR_MS)
  return bytes
}
