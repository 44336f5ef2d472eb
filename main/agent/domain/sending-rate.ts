import { FIRST_MEASUREMENT_SECONDS } from '../../../shared/status/forecast.ts'

/** Bytes sent, and the seconds in which Sluice had something to send. */
export type Sent = {
  readonly bytes: number
  readonly seconds: number
  /** The lowest speed limit of the hour. For a recent measurement, the current speed limit. Null without a limit. */
  readonly limitBytesPerSecond: number | null
}

/** `atMs`: the start of the hour. */
export type SentHour = Sent & { readonly atMs: number }

/** The expected upload speed, before any limit of the settings. */
export type SendingRate = {
  readonly bytesPerSecondAt: (atMs: number) => number
  /** One standard deviation, as a logarithm: 0.3 means a third more or a quarter less. */
  readonly spread: number
}

const HOUR_MS = 3_600_000
/** A shorter measurement shows only the start of an upload, not the speed of the connection. */
const MIN_MEASURED_SECONDS = 120
/**
 * For each hour of the day, at most this many measurements count. Older ones do not, because connections get faster.
 */
const MAX_MEASUREMENTS_PER_HOUR = 14
const MIN_MEASUREMENTS_PER_HOUR = 3
/** Near the speed limit, the connection may be faster than the measurement shows. */
const AT_LIMIT_SHARE = 0.85
/** After this many seconds, tonight's measurement counts as much as the usual rate. */
const HALF_TRUSTED_SECONDS = 600
/**
 * This many past hours count as tonight, even in the daytime. With fewer hours, a short burst would decide the
 * forecast. Every two hours, the weight of an hour halves.
 */
const TONIGHT_HOURS = 8
const HALF_LIFE_HOURS = 2
/** The largest weight of the last half hour (`recent`), in seconds. */
const MAX_RECENT_SECONDS = 1_800
/** After this many hours, about a third of tonight's deviation is left in the forecast. */
const PERSISTENCE_HOURS = 10
/** A limit, so that a forecast after a short outage does not assume a dead connection. */
const MAX_DEVIATION = Math.log(5)
const DEFAULT_SPREAD = 0.4
const MIN_SPREAD = 0.08
/**
 * The share of the spread that comes from differences between nights. The more of tonight is measured, the less this
 * share counts.
 */
const SPREAD_BETWEEN_NIGHTS = 0.5

const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b)
  const half = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2
}

const hourOfDay = (atMs: number): number => new Date(atMs).getHours()

const rateOf = ({ bytes, seconds }: Sent): number => bytes / seconds

const isAtLimit = (sent: Sent): boolean =>
  sent.limitBytesPerSecond !== null && rateOf(sent) >= AT_LIMIT_SHARE * sent.limitBytesPerSecond

/** Hours at the speed limit do not show how fast the connection is. They count only if there are no others. */
const preferUnlimited = (hours: readonly SentHour[]): readonly SentHour[] => {
  const unlimitedHours = hours.filter((hour) => !isAtLimit(hour))
  return unlimitedHours.length > 0 ? unlimitedHours : hours
}

/** Expects the current speed for all hours, for a queue that will be empty within minutes. */
export const rateFromCurrentSpeed = (bytesPerSecond: number, measured: SendingRate | null): SendingRate => ({
  bytesPerSecondAt: () => bytesPerSecond,
  spread: measured?.spread ?? DEFAULT_SPREAD,
})

type UsualRate = (hour: number) => number

/** The deviation from the usual rate, as a logarithm. At the speed limit, the rate never counts as slow. */
const deviationOf = (sent: Sent, usual: number): number => {
  const deviation = Math.max(-MAX_DEVIATION, Math.min(MAX_DEVIATION, Math.log(rateOf(sent) / usual)))
  return isAtLimit(sent) ? Math.max(0, deviation) : deviation
}

/** Tonight's deviation from the usual rate, and the seconds that were measured. */
const deviationTonight = (
  hours: readonly SentHour[],
  recent: Sent,
  usual: UsualRate,
  nowMs: number,
): { readonly deviation: number; readonly seconds: number } => {
  const measurements = hours
    .filter(({ atMs }) => atMs > nowMs - TONIGHT_HOURS * HOUR_MS && atMs <= nowMs - HOUR_MS)
    .map((hour) => ({
      deviation: deviationOf(hour, usual(hourOfDay(hour.atMs))),
      seconds: hour.seconds * 0.5 ** ((nowMs - hour.atMs) / HOUR_MS / HALF_LIFE_HOURS),
    }))
  if (recent.seconds > 0)
    measurements.push({
      deviation: deviationOf(recent, usual(hourOfDay(nowMs))),
      seconds: Math.min(recent.seconds, MAX_RECENT_SECONDS),
    })
  const seconds = measurements.reduce((sum, one) => sum + one.seconds, 0)
  const deviation = measurements.reduce((sum, one) => sum + one.deviation * one.seconds, 0)
  return { deviation: seconds === 0 ? 0 : deviation / seconds, seconds }
}

const usualRate = (hours: readonly SentHour[]): UsualRate => {
  const byHour = Array.from({ length: 24 }, (): SentHour[] => [])
  for (const hour of hours) byHour[hourOfDay(hour.atMs)]?.push(hour)
  const usual = byHour.map((_, hour): number => {
    const hourNearby = (offset: number) =>
      byHour[(hour + offset + 24) % 24]!.slice(-MAX_MEASUREMENTS_PER_HOUR)
    const ofThisHour = hourNearby(0)
    const withNeighbours =
      ofThisHour.length >= MIN_MEASUREMENTS_PER_HOUR
        ? ofThisHour
        : [...ofThisHour, ...hourNearby(-1), ...hourNearby(1)]
    return median((withNeighbours.length >= MIN_MEASUREMENTS_PER_HOUR ? withNeighbours : hours).map(rateOf))
  })
  return (hour) => usual[hour]!
}

/**
 * The usual rate of each hour of the day, corrected by tonight's deviation, which fades over the hours. Null if too
 * little was measured.
 */
export const sendingRate = (sent: readonly SentHour[], recent: Sent, nowMs: number): SendingRate | null => {
  const longMeasurements = sent.filter(({ bytes, seconds }) => bytes > 0 && seconds >= MIN_MEASURED_SECONDS)
  const measurements = longMeasurements.length > 0 ? longMeasurements : sent.filter(({ bytes }) => bytes > 0)
  const hours = preferUnlimited(measurements)
  const measuredSeconds = hours.reduce((sum, { seconds }) => sum + seconds, 0)
  // A short measurement of a few small files mostly shows the wait for answers, so its rate is too low.
  if (measuredSeconds < FIRST_MEASUREMENT_SECONDS)
    return recent.seconds < FIRST_MEASUREMENT_SECONDS || recent.bytes === 0
      ? null
      : { bytesPerSecondAt: () => rateOf(recent), spread: DEFAULT_SPREAD }
  const usual = usualRate(hours)
  const measuredTonight = deviationTonight(measurements, recent, usual, nowMs)
  const trust = measuredTonight.seconds / (measuredTonight.seconds + HALF_TRUSTED_SECONDS)
  const weightedDeviation = measuredTonight.deviation * trust
  const spread =
    hours.length < MIN_MEASUREMENTS_PER_HOUR
      ? DEFAULT_SPREAD
      : 1.4826 * median(hours.map((hour) => Math.abs(Math.log(rateOf(hour) / usual(hourOfDay(hour.atMs))))))
  return {
    bytesPerSecondAt: (atMs) => {
      const aheadHours = Math.max(0, atMs - nowMs) / HOUR_MS
      return usual(hourOfDay(atMs)) * Math.exp(weightedDeviation * Math.exp(-aheadHours / PERSISTENCE_HOURS))
    },
    spread: Math.max(MIN_SPREAD, spread * (1 - SPREAD_BETWEEN_NIGHTS * trust)),
  }
}
