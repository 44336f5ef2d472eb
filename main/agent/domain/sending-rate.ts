/** Bytes sent, and the seconds in which anything was being sent. */
export type Sent = {
  readonly bytes: number
  readonly seconds: number
  /** The lowest speed limit in that time; null if there was none. */
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
/** A shorter time measures how an upload starts rather than the connection. */
const MIN_SECONDS = 120
const MIN_SECONDS_AT_FIRST = 20
/** For each hour of the day, only the newest measurements count: connections get faster. */
const NEWEST_OF_AN_HOUR = 14
const ENOUGH_OF_AN_HOUR = 3
/** At this share of the speed limit, the measurement only shows that the connection is at least that fast. */
const AT_LIMIT_SHARE = 0.85
/** After this time, tonight's measurement and the usual rate have equal weight. */
const HALF_TRUSTED_SECONDS = 600
/** Tonight’s earlier hours also count, with half the weight per two hours of age, so that a short burst does not decide. */
const TONIGHT_HOURS = 8
const HALF_AFTER_HOURS = 2
/** The maximum weight of the last minutes. */
const RECENT_SECONDS = 1_800
/** How long tonight's deviation from the usual rate lasts in the forecast. */
const PERSISTENCE_HOURS = 10
/** Limits the deviation, so that a short outage does not forecast a dead connection. */
const MAX_DEVIATION = Math.log(5)
const SPREAD_UNKNOWN = 0.4
const MIN_SPREAD = 0.08
/** Half of the spread is between nights. Once tonight is measured, that half is known. */
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

/** An hour at the speed limit does not show how fast the connection could be. It counts only if no other hour exists. */
const preferUnlimited = (hours: readonly SentHour[]): readonly SentHour[] => {
  const free = hours.filter((hour) => !isAtLimit(hour))
  return free.length > 0 ? free : hours
}

/** The current speed, for a queue that this speed empties within minutes. */
export const presentRate = (bytesPerSecond: number, measured: SendingRate | null): SendingRate => ({
  bytesPerSecondAt: () => bytesPerSecond,
  spread: measured?.spread ?? SPREAD_UNKNOWN,
})

type UsualRate = (hour: number) => number

/** The deviation from the usual rate, as a logarithm. */
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
  const seen = hours
    .filter(({ atMs }) => atMs > nowMs - TONIGHT_HOURS * HOUR_MS && atMs <= nowMs - HOUR_MS)
    .map((hour) => ({
      deviation: deviationOf(hour, usual(hourOfDay(hour.atMs))),
      seconds: hour.seconds * 0.5 ** ((nowMs - hour.atMs) / HOUR_MS / HALF_AFTER_HOURS),
    }))
  if (recent.seconds > 0)
    seen.push({
      deviation: deviationOf(recent, usual(hourOfDay(nowMs))),
      seconds: Math.min(recent.seconds, RECENT_SECONDS),
    })
  const seconds = seen.reduce((sum, one) => sum + one.seconds, 0)
  const deviation = seen.reduce((sum, one) => sum + one.deviation * one.seconds, 0)
  return { deviation: seconds === 0 ? 0 : deviation / seconds, seconds }
}

const usualRate = (hours: readonly SentHour[]): UsualRate => {
  const byHour = Array.from({ length: 24 }, (): SentHour[] => [])
  for (const hour of hours) byHour[hourOfDay(hour.atMs)]?.push(hour)
  const usual = byHour.map((_, hour): number => {
    const near = (away: number) => byHour[(hour + away + 24) % 24]!.slice(-NEWEST_OF_AN_HOUR)
    const own = near(0)
    const about = own.length >= ENOUGH_OF_AN_HOUR ? own : [...own, ...near(-1), ...near(1)]
    return median((about.length >= ENOUGH_OF_AN_HOUR ? about : hours).map(rateOf))
  })
  return (hour) => usual[hour]!
}

/**
 * The usual rate of each hour of the day, corrected by tonight's deviation. The correction fades with the distance into
 * the future. Null if nothing was ever measured.
 */
export const sendingRate = (sent: readonly SentHour[], recent: Sent, nowMs: number): SendingRate | null => {
  const measured = sent.filter(({ bytes, seconds }) => bytes > 0 && seconds >= MIN_SECONDS)
  const all = measured.length > 0 ? measured : sent.filter(({ bytes }) => bytes > 0)
  const hours = preferUnlimited(all)
  if (hours.length === 0)
    return recent.seconds < MIN_SECONDS_AT_FIRST || recent.bytes === 0
      ? null
      : { bytesPerSecondAt: () => rateOf(recent), spread: SPREAD_UNKNOWN }
  const usual = usualRate(hours)
  const seen = deviationTonight(all, recent, usual, nowMs)
  const trust = seen.seconds / (seen.seconds + HALF_TRUSTED_SECONDS)
  const tonight = seen.deviation * trust
  const spread =
    hours.length < ENOUGH_OF_AN_HOUR
      ? SPREAD_UNKNOWN
      : 1.4826 * median(hours.map((hour) => Math.abs(Math.log(rateOf(hour) / usual(hourOfDay(hour.atMs))))))
  return {
    bytesPerSecondAt: (atMs) => {
      const aheadHours = Math.max(0, atMs - nowMs) / HOUR_MS
      return usual(hourOfDay(atMs)) * Math.exp(tonight * Math.exp(-aheadHours / PERSISTENCE_HOURS))
    },
    spread: Math.max(MIN_SPREAD, spread * (1 - SPREAD_BETWEEN_NIGHTS * trust)),
  }
}
