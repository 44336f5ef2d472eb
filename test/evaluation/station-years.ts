import type { Random } from '../../main/agent/ports/clock.ts'
import { type Night, nightsUntil, QUARTER_MS, quarterOf } from '../../shared/status/nights.ts'

/** A year of one folder with a known outcome: recordings, hours without the agent, and failures of the recorder. */
export type StationYear = {
  readonly nights: readonly Night[]
  /** The times at which recordings were found, in milliseconds and in order. */
  readonly found: readonly number[]
  /** The quarter hours in which the agent was running. */
  readonly watched: ReadonlySet<number>
  readonly failures: readonly Failure[]
}

export type Failure = {
  /** The time of the first missing recording. */
  readonly missedFromMs: number
  /** The time of the first recording after the failure. */
  readonly backMs: number
}

type Plan = {
  /** The times of one night's recordings; an empty list if there are none. */
  readonly night: (night: Night, index: number, random: Random) => readonly number[]
  /** The agent does not run in these hours. */
  readonly off?: (night: Night, index: number, random: Random) => readonly (readonly [number, number])[]
  readonly failures: number
  /** The shortest and the longest failure of the recorder, in nights. */
  readonly failureNights: readonly [number, number]
}

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

/**
 * The time of a local hour in this night, such as 19.5, in milliseconds. Counts by the calendar, because the clocks may
 * change.
 */
const at = (night: Night, hour: number): number => {
  const evening = new Date(night.startMs)
  const days = hour < 18 ? 1 : 0
  return new Date(
    evening.getFullYear(),
    evening.getMonth(),
    evening.getDate() + days,
    Math.floor(hour),
    Math.round((hour % 1) * 60),
  ).getTime()
}

/** Whether a night ends on a weekend. It ends at 18:00, so the working hours of a lab lie on its last day. */
const isWeekend = (night: Night) => [0, 6].includes(new Date(night.endMs).getDay())

const between = (random: Random, from: number, to: number) => from + random() * (to - from)

/** A normally distributed number around zero. Two thirds of the numbers lie between -1 and 1. */
const normal = (random: Random) => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())

/** Recordings one after the other, with random pauses. A `spread` of 1 is pure chance, 0 is perfectly regular. */
const oneByOne = (
  random: Random,
  fromMs: number,
  toMs: number,
  everyMs: number,
  spread: number,
): number[] => {
  const times: number[] = []
  let ms = fromMs
  while (ms < toMs) {
    times.push(Math.round(ms))
    ms += everyMs * (1 - spread + spread * -Math.log(1 - random())) + 1_000
  }
  return times
}

/** Holidays of the simulated lab, by the date on which their night begins. They follow no weekly pattern. */
const holidays = ['01-06', '03-06', '03-09', '04-30', '05-14', '05-24', '06-04', '10-02', '10-30', '11-18']
const isHoliday = ({ name }: Night) => holidays.includes(name.slice(5))
/** The lab is closed in the nights from 23 December to 1 January. */
const isClosed = ({ name }: Night) => name.slice(5) >= '12-23' || name.slice(5) <= '01-01'

/** Every night from about 19:30 to about 05:30, a recording every 20 minutes. */
const nightly = (night: Night, random: Random): readonly number[] =>
  oneByOne(
    random,
    at(night, 19.5) + normal(random) * 15 * MINUTE_MS,
    at(night, 5.5) + normal(random) * 30 * MINUTE_MS,
    20 * MINUTE_MS,
    0.3,
  )

export const plans = {
  'nightly MCAP recorder': {
    night: (night, _, random) => nightly(night, random),
    failures: 8,
    failureNights: [0.5, 3],
  },
  'weekday lab with holidays': {
    night: (night, _, random) =>
      isWeekend(night) || isHoliday(night) || isClosed(night)
        ? []
        : oneByOne(
            random,
            at(night, 8.5) + normal(random) * 30 * MINUTE_MS,
            at(night, 17) + normal(random) * 40 * MINUTE_MS,
            15 * MINUTE_MS,
            1,
          ),
    failures: 8,
    failureNights: [0.5, 3],
  },
  'irregular bench': {
    night: (night, _, random) =>
      random() < 0.55
        ? oneByOne(
            random,
            at(night, between(random, 18, 23.5)),
            at(night, between(random, 1, 9)),
            35 * MINUTE_MS,
            1,
          )
        : [],
    failures: 4,
    failureNights: [14, 21],
  },
  '24/7 logger': {
    night: (night, _, random) => oneByOne(random, night.startMs, night.endMs, 10 * MINUTE_MS, 0.6),
    failures: 8,
    failureNights: [0.3, 2],
  },
  'seasonal, March to October': {
    night: (night, _, random) =>
      night.name.slice(5) >= '03-15' && night.name.slice(5) < '11-01'
        ? oneByOne(random, at(night, 20) + normal(random) * 20 * MINUTE_MS, at(night, 4), 25 * MINUTE_MS, 1)
        : [],
    failures: 5,
    failureNights: [0.5, 3],
  },
  'one burst a night': {
    night: (night, _, random) => {
      const ms = at(night, 23) + normal(random) * 20 * MINUTE_MS
      return Array.from({ length: 30 + Math.floor(random() * 20) }, (_one, index) =>
        Math.round(ms + index * 2_000),
      )
    },
    failures: 8,
    failureNights: [1, 3],
  },
  'nightly, PC often off': {
    night: (night, _, random) => nightly(night, random),
    off: (night, index, random) => {
      // The PC is off for some whole nights, and for some hours of other nights.
      if (index % 9 === 4) return [[night.startMs, night.endMs]]
      if (random() > 0.2) return []
      const from = between(random, night.startMs, night.endMs - 6 * HOUR_MS)
      return [[from, from + between(random, 1, 6) * HOUR_MS]]
    },
    failures: 6,
    failureNights: [1, 3],
  },
} as const satisfies Record<string, Plan>

export type StationKind = keyof typeof plans
export const stationKinds = Object.keys(plans) as StationKind[]

/** The first nights have no failures, so that the silence rule can learn the recording habit. */
const LEARNING_NIGHTS = 35

export const stationYear = (kind: StationKind, random: Random, endMs: number, count = 365): StationYear => {
  const plan: Plan = plans[kind]
  const nights = nightsUntil(endMs, count)
  const planned = nights
    .flatMap((night, index) => [...plan.night(night, index, random)])
    .sort((a, b) => a - b)
  const off = nights.flatMap((night, index) => [...(plan.off?.(night, index, random) ?? [])])
  const isOff = (ms: number) => off.some(([from, to]) => ms >= from && ms < to)
  // While the PC is off, its recorder is off too.
  const possible = off.length === 0 ? planned : planned.filter((ms) => !isOff(ms))

  const failures: Failure[] = []
  const lost = new Set<number>()
  const nightsPerFailure = (nights.length - LEARNING_NIGHTS) / plan.failures
  for (let index = 0; index < plan.failures; index += 1) {
    const [shortest, longest] = plan.failureNights
    const nightIndex = Math.floor(
      LEARNING_NIGHTS + nightsPerFailure * index + random() * Math.max(1, nightsPerFailure - longest - 10),
    )
    const fromMs = (nights[nightIndex]?.startMs ?? 0) + random() * 24 * HOUR_MS
    const toMs = fromMs + between(random, shortest, longest) * 24 * HOUR_MS
    const missed = possible.filter((ms) => ms >= fromMs && ms < toMs)
    const [first] = missed
    const back = possible.find((ms) => ms >= toMs)
    // The evaluation counts only failures that miss at least six recordings and end before the year ends.
    if (first === undefined || back === undefined || missed.length < 6) continue
    failures.push({ missedFromMs: first, backMs: back })
    for (const ms of missed) lost.add(ms)
  }
  const watched = new Set<number>()
  const start = nights[0]?.startMs ?? 0
  for (let ms = start; ms < (nights.at(-1)?.endMs ?? 0); ms += QUARTER_MS)
    if (!isOff(ms)) watched.add(quarterOf(ms))
  return { nights, found: possible.filter((ms) => !lost.has(ms)), watched, failures }
}
