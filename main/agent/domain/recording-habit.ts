import {
  type Night,
  nightsUntil,
  QUARTER_MS,
  quarterOf,
  SLOTS,
  slotAt,
} from '../../../shared/status/nights.ts'

/** One night of one folder, by quarters of the clock. */
export type NightRecord = {
  readonly name: string
  /** Of the evening it begins in; 0 is Sunday. */
  readonly weekday: number
  /** Recordings found in each quarter. */
  readonly counts: readonly number[]
  /** Whether the folder was looked at in it: the agent ran, and the folder was there. */
  readonly watched: readonly boolean[]
  readonly recorded: number
  /** The alarm was raised in it, or somebody said that nothing was expected. */
  readonly word: 'reported' | 'dismissed' | null
}

/** Quarters since the epoch, as the journal keeps them. */
export type FolderHistory = {
  readonly found: ReadonlyMap<number, number>
  readonly watched: ReadonlySet<number>
}

export const recordOf = (
  night: Night,
  { found, watched }: FolderHistory,
  word: NightRecord['word'],
): NightRecord => {
  const counts = new Array<number>(SLOTS).fill(0)
  const seen = new Array<boolean>(SLOTS).fill(false)
  const first = quarterOf(night.startMs)
  const last = quarterOf(night.endMs)
  const plain = last - first === SLOTS
  let recorded = 0
  for (let quarter = first; quarter < last; quarter += 1) {
    const count = found.get(quarter) ?? 0
    if (count === 0 && !watched.has(quarter)) continue
    const slot = plain ? quarter - first : slotAt(quarter * QUARTER_MS)
    counts[slot] = (counts[slot] ?? 0) + count
    // What was found was looked for.
    seen[slot] = true
    recorded += count
  }
  return {
    name: night.name,
    weekday: new Date(night.startMs).getDay(),
    counts,
    watched: seen,
    recorded,
    word,
  }
}

/** The oldest first; the last is the night of this moment. */
export const recordsUntil = (
  nowMs: number,
  nights: number,
  history: FolderHistory,
  words: ReadonlyMap<string, 'reported' | 'dismissed'>,
): readonly NightRecord[] =>
  nightsUntil(nowMs, nights).map((night) => recordOf(night, history, words.get(night.name) ?? null))

/** Nights that a habit is learned from: eight weeks, the newest counting most. */
const LEARN_NIGHTS = 56
const BREAK_NIGHTS = 14
const HALF_LIFE_NIGHTS = 28
/** Of what is usually recorded in a night, so much must have been watched for its emptiness to mean anything. */
const WATCHED_SHARE = 0.5

const MOST_FAILURES = 0.1

/** A straggler of the evening before makes no night: at least this share of the quarters that usually have one. */
const STRAGGLERS = 0.15

export type Habit = {
  /** Nights of which something is known. */
  readonly known: number
  /** Quarters with a recording that a night has at least, if it has more than stragglers. */
  readonly leastOccupied: number
  /** Of those known, nights in which more than stragglers came, the newest last. */
  readonly active: readonly NightRecord[]
  readonly weekdays: readonly WeekdayHabit[]
  /** Of all nights but those that are quiet by habit, the share that stayed empty. */
  readonly exceptions: number
  /** The longest usual quiet while it records, in recordings' quarters that were expected meanwhile. */
  readonly usualQuiet: number
}

export type WeekdayHabit = {
  readonly known: number
  /** How likely a night that begins on this day has any recording. */
  readonly chance: number
  /** How likely each quarter of the clock has one, in a night that has any. */
  readonly profile: readonly number[]
}

const EXPECTED_CHANCE = 0.75
/** Below this a day is quiet by habit. */
const QUIET_CHANCE = 0.3
/** A day of the week that is hardly known is taken to be like the others, as if so many nights had said so. */
const PRIOR_NIGHTS = 2

export const isExpected = ({ chance, known }: WeekdayHabit): boolean => known > 0 && chance >= EXPECTED_CHANCE

const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0)

/** The value that the given share of them does not exceed. */
export const quantile = (numbers: readonly number[], share: number): number => {
  const sorted = [...numbers].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? 0
}

export const occupied = ({ counts }: NightRecord): number => counts.filter((count) => count > 0).length

const leastOccupiedOf = (nights: readonly NightRecord[]): number =>
  Math.max(
    1,
    STRAGGLERS *
      quantile(
        nights.map(occupied).filter((slots) => slots > 0),
        0.5,
      ),
  )

type Weighed = { readonly night: NightRecord; readonly weight: number; readonly active: boolean }

/** A night that counts as a known one: something came, or the hours in which something usually comes were watched. */
const knownNights = (nights: readonly NightRecord[], least: number): readonly Weighed[] => {
  const isActive = (night: NightRecord) => occupied(night) >= least
  const usual = profileOf(nights.filter(isActive).map((night) => ({ night, weight: 1, active: true })))
  const all = sum(usual)
  // At rest by somebody's word until it records again: the nights in between say nothing about its habit.
  let resting = false
  return nights.flatMap((night, index): readonly Weighed[] => {
    const age = nights.length - 1 - index
    const weight = 0.5 ** (age / HALF_LIFE_NIGHTS)
    if (isActive(night)) {
      resting = false
      return [{ night, weight, active: true }]
    }
    const wasResting = resting
    resting ||= night.word === 'dismissed'
    const watched = sum(usual.filter((_, slot) => night.watched[slot]))
    if (wasResting || all === 0 || watched < WATCHED_SHARE * all) return []
    // Told and not answered: it may have been a failure, which is no habit, or a new habit.
    return [{ night, weight: night.word === 'reported' ? weight / 2 : weight, active: false }]
  })
}

const profileOf = (nights: readonly Weighed[], prior?: readonly number[]): readonly number[] =>
  Array.from({ length: SLOTS }, (_, slot) => {
    let occupied = prior?.[slot] ?? 0
    let all = prior === undefined ? 0 : 1
    for (const { night, weight } of nights) {
      if (!night.watched[slot]) continue
      all += weight
      if ((night.counts[slot] ?? 0) > 0) occupied += weight
    }
    return all === 0 ? 0 : occupied / all
  })

const weightOf = (nights: readonly Weighed[]) => nights.reduce((all, { weight }) => all + weight, 0)

/**
 * Quiet is measured in what was expected meanwhile, not in hours: an hour before dawn may mean nothing. Of each active
 * night the longest is kept.
 */
const quietsOf = (
  nights: readonly NightRecord[],
  weekdays: readonly WeekdayHabit[],
  least: number,
): readonly number[] => {
  const told = nights.filter((night) => occupied(night) >= least && night.word === 'reported').length
  // Told once in a while it was a failure, and no pause that is usual; told often and never answered it is the habit.
  const isFailure = ({ word }: NightRecord) => word === 'reported' && told < MOST_FAILURES * nights.length
  const quiets: number[] = []
  let run = 0
  for (const night of nights) {
    const habit = weekdays[night.weekday]
    if (occupied(night) < least || habit === undefined || isFailure(night)) {
      run = 0
      continue
    }
    let longest = 0
    for (let slot = 0; slot < SLOTS; slot += 1) {
      if ((night.counts[slot] ?? 0) > 0) run = 0
      else if (night.watched[slot]) run += habit.profile[slot] ?? 0
      longest = Math.max(longest, run)
    }
    quiets.push(longest)
  }
  return quiets
}

/** What was before a season's break, or before the first recording, is not what is usual now. */
const sinceBreak = (nights: readonly NightRecord[]): readonly NightRecord[] => {
  let empty = BREAK_NIGHTS
  let from = 0
  nights.forEach(({ recorded, word }, index) => {
    if (recorded > 0 && empty >= BREAK_NIGHTS) from = index
    // A silence that was told and not answered was a dead recorder, and no break.
    empty = recorded > 0 || word === 'reported' ? 0 : empty + 1
  })
  return nights.slice(from)
}

/** What is usual for a folder, from the nights up to its last recording. */
export const learnHabit = (nights: readonly NightRecord[]): Habit => {
  const lately = sinceBreak(nights.slice(-LEARN_NIGHTS))
  const least = leastOccupiedOf(lately)
  const known = knownNights(lately, least)
  const active = known.filter((one) => one.active)
  const share = known.length === 0 ? 0 : weightOf(active) / weightOf(known)
  const profile = profileOf(active)
  const weekdays = Array.from({ length: 7 }, (_, weekday): WeekdayHabit => {
    const own = known.filter(({ night }) => night.weekday === weekday)
    const ownActive = own.filter((one) => one.active)
    return {
      known: own.length,
      chance: (weightOf(ownActive) + PRIOR_NIGHTS * share) / (weightOf(own) + PRIOR_NIGHTS),
      profile: profileOf(ownActive, profile),
    }
  })
  const expected = known.filter(({ night }) => (weekdays[night.weekday]?.chance ?? 0) > QUIET_CHANCE)
  const empty = expected.filter((one) => !one.active)
  return {
    known: known.length,
    leastOccupied: least,
    active: active.map(({ night }) => night),
    weekdays,
    exceptions: expected.length === 0 ? 1 : weightOf(empty) / weightOf(expected),
    usualQuiet: quantile(quietsOf(lately, weekdays, least), 0.95),
  }
}
