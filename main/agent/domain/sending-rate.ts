import { FIRST_MEASUREMENT_SECONDS } from '../../../shared/status/forecast.ts'

/** Bytes sent, and the seconds in which Sluice was sending or could have sent something. */
export type Sent = {
  readonly bytes: number
  readonly seconds: number
  /** The lowest speed limit of the hour, or the current limit for a recent measurement. Null if there was none. */
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
/** A shorter measurement shows how an upload starts, not how fast the connection is. */
const MIN_MEASURED_SECONDS = 120
/** For each hour of the day, only the newest measurements count: connections get faster. */
const MAX_MEASUREMENTS_PER_HOUR = 14
const MIN_MEASUREMENTS_PER_HOUR = 3
/** A speed of at least this share of the speed limit does not show the speed of the connection: it may be faster. */
const AT_LIMIT_SHARE = 0.85
/** After this many measured seconds, tonight's measurement and the usual rate have equal weight. */
const HALF_TRUSTED_SECONDS = 600
/**
 * The number of past hours that count as tonight, even in the daytime. With fewer hours, a short burst would decide the
 * forecast. The weight of an hour halves with every two hours of age.
 */
const TONIGHT_HOURS = 8
const HALF_LIFE_HOURS = 2
/** The largest weight of the measurement of the last half hour (`recent`), in seconds. */
const MAX_RECENT_SECONDS = 1_800
/** How fast tonight's deviation fades in the forecast: after this many hours, about a third of it is left. */
const PERSISTENCE_HOURS = 10
/** Limits the deviation. Otherwise, a forecast after a short outage would assume a dead connection. */
const MAX_DEVIATION = Math.log(5)
const DEFAULT_SPREAD = 0.4
const MIN_SPREAD = 0.08
/**
 * Half of the spread comes from differences between nights. Once tonight is measured, only the other half is uncertain.
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

/**
 * An hour at the speed limit does not show how fast the connection could be. Such hours count only if there are no
 * others.
 */
const preferUnlimited = (hours: readonly SentHour[]): readonly SentHour[] => {
  const unlimitedHours = hours.filter((hour) => !isAtLimit(hour))
  return unlimitedHours.length > 0 ? unlimitedHours : hours
}

/** Expects the current speed for all hours. Used for a queue that will be empty within minutes. */
export const rateFromCurrentSpeed = (bytesPerSecond: number, measured: SendingRate | null): SendingRate => ({
  bytesPerSecondAt: () => bytesPerSecond,
  spread: measured?.spread ?? DEFAULT_SPREAD,
})

type UsualRate = (hour: number) => number

/** The deviation from the usual rate, as a logarithm. A speed at the speed limit never counts as slower than usual. */
const deviationOf = (sent: Sent, usual: number): number => {
  const deviation = Math.max(-MAX_DEVIATION, Math.min(MAX_DEVIATION, Math.log(rateOf(sent) / usual)))
  return isAtLimit(sent) ? Math.max(0, deviation) : deviation
}

/** Tonight's deviation from the usual rate, and the seconds of sending over which it was measured. */
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
 * The usual rate of each hour of the day, corrected by tonight's deviation. The correction fades with the distance into
 * the future. Null if too little was measured.
 */
export const sendingRate = (sent: readonly SentHour[], recent: Sent, nowMs: number): SendingRate | null => {
  const longMeasurements = sent.filter(({ bytes, seconds }) => bytes > 0 && seconds >= MIN_MEASURED_SECONDS)
  const measurements = longMeasurements.length > 0 ? longMeasurements : sent.filter(({ bytes }) => bytes > 0)
  const hours = preferUnlimited(measurements)
  const measuredSeconds = hours.reduce((sum, { seconds }) => sum + seconds, 0)
  // A few small files take a second, and Sluice spends most of that second waiting for answers. So a short measurement
  // shows too low a rate.
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
