import {
  type Night,
  nightsUntil,
  QUARTER_MS,
  quarterOf,
  SLOTS,
  slotAt,
} from '../../../shared/status/nights.ts'

/** One night of one folder, in quarters of an hour. */
export type NightRecord = {
  readonly name: string
  /** The weekday on which the night begins; 0 is Sunday. */
  readonly weekday: number
  /** Recordings found in each quarter. */
  readonly counts: readonly number[]
  /** For each quarter, whether Sluice watched the folder. */
  readonly watched: readonly boolean[]
  readonly recorded: number
  /** `reported`: Sluice reported the folder's silence in this night. `dismissed`: a user dismissed that report. */
  readonly silenceMark: 'reported' | 'dismissed' | null
}

/** Keys are quarters since the epoch, as in the journal. */
export type FolderHistory = {
  readonly found: ReadonlyMap<number, number>
  readonly watched: ReadonlySet<number>
}

export const nightRecordOf = (
  night: Night,
  { found, watched }: FolderHistory,
  silenceMark: NightRecord['silenceMark'],
): NightRecord => {
  const counts = new Array<number>(SLOTS).fill(0)
  const watchedSlots = new Array<boolean>(SLOTS).fill(false)
  const firstQuarter = quarterOf(night.startMs)
  const endQuarter = quarterOf(night.endMs)
  const hasNoClockChange = endQuarter - firstQuarter === SLOTS
  let recorded = 0
  for (let quarter = firstQuarter; quarter < endQuarter; quarter += 1) {
    const count = found.get(quarter) ?? 0
    if (count === 0 && !watched.has(quarter)) continue
    const slot = hasNoClockChange ? quarter - firstQuarter : slotAt(quarter * QUARTER_MS)
    counts[slot] = (counts[slot] ?? 0) + count
    // A quarter with a recording was watched, even if the journal does not say so.
    watchedSlots[slot] = true
    recorded += count
  }
  return {
    name: night.name,
    weekday: new Date(night.startMs).getDay(),
    counts,
    watched: watchedSlots,
    recorded,
    silenceMark,
  }
}

/** From the oldest night to the current one. */
export const nightRecordsUntil = (
  nowMs: number,
  nights: number,
  history: FolderHistory,
  silenceMarks: ReadonlyMap<string, 'reported' | 'dismissed'>,
): readonly NightRecord[] =>
  nightsUntil(nowMs, nights).map((night) =>
    nightRecordOf(night, history, silenceMarks.get(night.name) ?? null),
  )

/** Learns from the last eight weeks. The newest nights count most. */
const LEARN_NIGHTS = 56
/** This many empty nights in a row are a break. Recordings after a break start a new habit. */
const BREAK_NIGHTS = 14
const HALF_LIFE_NIGHTS = 28
/** An empty night counts only if Sluice watched at least this share of the folder's usual recording hours. */
const WATCHED_SHARE = 0.5

/**
 * A reported silence usually means that the recorder failed. But if at least this share of the nights have undismissed
 * reports, silence is the habit.
 */
const MAX_FAILURE_SHARE = 0.1

/**
 * An active night has recordings in at least this share of the usual number of quarters. A night with fewer counts as
 * empty, because its recordings may be late ones of the night before.
 */
const MIN_NIGHT_SHARE = 0.15

export type Habit = {
  /** The number of nights, active and empty, that the habit is learned from: see `weighKnownNights`. */
  readonly knownNights: number
  /** A night is active if this many quarters have a recording. */
  readonly minOccupiedSlots: number
  /** The newest night is last. */
  readonly activeNights: readonly NightRecord[]
  readonly weekdays: readonly WeekdayHabit[]
  /** The share of empty nights among the known nights, without weekdays that are quiet by habit. */
  readonly emptyNightShare: number
  /**
   * Active nights rarely have a longer quiet period than this. Only quarters in which a recording was expected count.
   */
  readonly usualQuietQuarters: number
}

export type WeekdayHabit = {
  readonly knownNights: number
  /** The probability that a night that begins on this day is active. */
  readonly chance: number
  /** For each quarter of an active night, the probability that this quarter has a recording. */
  readonly profile: readonly number[]
}

const EXPECTED_CHANCE = 0.75
/** A weekday with at most this chance is quiet by habit. */
const QUIET_CHANCE = 0.3
/**
 * The average of all weekdays counts as this many extra nights of each weekday. A weekday with few known nights is thus
 * judged mostly by the average.
 */
const PRIOR_NIGHTS = 2

export const isExpected = ({ chance, knownNights }: WeekdayHabit): boolean =>
  knownNights > 0 && chance >= EXPECTED_CHANCE

const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0)

/** At least the given share of the numbers are smaller than the result, or equal to it. */
export const quantile = (numbers: readonly number[], share: number): number => {
  const sorted = [...numbers].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? 0
}

export const occupiedSlots = ({ counts }: NightRecord): number => counts.filter((count) => count > 0).length

const minOccupiedSlotsOf = (nights: readonly NightRecord[]): number =>
  Math.max(
    1,
    MIN_NIGHT_SHARE *
      quantile(
        nights.map(occupiedSlots).filter((slots) => slots > 0),
        0.5,
      ),
  )

type WeightedNight = { readonly night: NightRecord; readonly weight: number; readonly isActive: boolean }

/**
 * Chooses the nights that the habit is learned from, and gives newer nights more weight. All active nights count. An
 * empty night counts if it was watched enough and does not follow a dismissed silence.
 */
const weighKnownNights = (nights: readonly NightRecord[], minOccupied: number): readonly WeightedNight[] => {
  const isActive = (night: NightRecord) => occupiedSlots(night) >= minOccupied
  const usualProfile = profileOf(
    nights.filter(isActive).map((night) => ({ night, weight: 1, isActive: true })),
  )
  const expectedQuarters = sum(usualProfile)
  // True from a dismissed silence until the next active night. The empty nights between the two do not count.
  let isDismissed = false
  return nights.flatMap((night, index): readonly WeightedNight[] => {
    const ageNights = nights.length - 1 - index
    const weight = 0.5 ** (ageNights / HALF_LIFE_NIGHTS)
    if (isActive(night)) {
      isDismissed = false
      return [{ night, weight, isActive: true }]
    }
    const wasDismissed = isDismissed
    isDismissed ||= night.silenceMark === 'dismissed'
    const watchedQuarters = sum(usualProfile.filter((_, slot) => night.watched[slot]))
    if (wasDismissed || expectedQuarters === 0 || watchedQuarters < WATCHED_SHARE * expectedQuarters)
      return []
    // A reported silence is a failure or a new habit, so its night has half the weight.
    return [{ night, weight: night.silenceMark === 'reported' ? weight / 2 : weight, isActive: false }]
  })
}

const profileOf = (nights: readonly WeightedNight[], prior?: readonly number[]): readonly number[] =>
  Array.from({ length: SLOTS }, (_, slot) => {
    let occupiedWeight = prior?.[slot] ?? 0
    let totalWeight = prior === undefined ? 0 : 1
    for (const { night, weight } of nights) {
      if (!night.watched[slot]) continue
      totalWeight += weight
      if ((night.counts[slot] ?? 0) > 0) occupiedWeight += weight
    }
    return totalWeight === 0 ? 0 : occupiedWeight / totalWeight
  })

const weightOf = (nights: readonly WeightedNight[]) => nights.reduce((all, { weight }) => all + weight, 0)

/**
 * The longest quiet period of each active night in which the recorder did not fail. A period may start in the night
 * before. Only quarters in which a recording was expected count, because a quiet hour before dawn may be usual.
 */
const longestQuietPeriods = (
  nights: readonly NightRecord[],
  weekdays: readonly WeekdayHabit[],
  minOccupied: number,
): readonly number[] => {
  const reported = nights.filter(
    (night) => occupiedSlots(night) >= minOccupied && night.silenceMark === 'reported',
  ).length
  // If reports are rare, the recorder failed. If they are frequent and nobody dismisses them, silence is the habit.
  const isFailure = ({ silenceMark }: NightRecord) =>
    silenceMark === 'reported' && reported < MAX_FAILURE_SHARE * nights.length
  const longestQuietQuarters: number[] = []
  let quietQuarters = 0
  for (const night of nights) {
    const habit = weekdays[night.weekday]
    if (occupiedSlots(night) < minOccupied || habit === undefined || isFailure(night)) {
      quietQuarters = 0
      continue
    }
    let longest = 0
    for (let slot = 0; slot < SLOTS; slot += 1) {
      if ((night.counts[slot] ?? 0) > 0) quietQuarters = 0
      else if (night.watched[slot]) quietQuarters += habit.profile[slot] ?? 0
      longest = Math.max(longest, quietQuarters)
    }
    longestQuietQuarters.push(longest)
  }
  return longestQuietQuarters
}

/**
 * Drops the nights before the first recording, or before the recording that ended the last long break: they do not show
 * today's habit.
 */
const dropNightsBeforeBreak = (nights: readonly NightRecord[]): readonly NightRecord[] => {
  let emptyNights = BREAK_NIGHTS
  let from = 0
  nights.forEach(({ recorded, silenceMark }, index) => {
    if (recorded > 0 && emptyNights >= BREAK_NIGHTS) from = index
    // A reported silence means a dead recorder, not a break.
    emptyNights = recorded > 0 || silenceMark === 'reported' ? 0 : emptyNights + 1
  })
  return nights.slice(from)
}

/** Learns a folder's habit from its past nights, oldest first. */
export const learnHabit = (nights: readonly NightRecord[]): Habit => {
  const recentNights = dropNightsBeforeBreak(nights.slice(-LEARN_NIGHTS))
  const minOccupied = minOccupiedSlotsOf(recentNights)
  const weightedNights = weighKnownNights(recentNights, minOccupied)
  const active = weightedNights.filter((one) => one.isActive)
  const activeShare = weightedNights.length === 0 ? 0 : weightOf(active) / weightOf(weightedNights)
  const profile = profileOf(active)
  const weekdays = Array.from({ length: 7 }, (_, weekday): WeekdayHabit => {
    const nightsOfDay = weightedNights.filter(({ night }) => night.weekday === weekday)
    const activeNightsOfDay = nightsOfDay.filter((one) => one.isActive)
    return {
      knownNights: nightsOfDay.length,
      chance:
        (weightOf(activeNightsOfDay) + PRIOR_NIGHTS * activeShare) / (weightOf(nightsOfDay) + PRIOR_NIGHTS),
      profile: profileOf(activeNightsOfDay, profile),
    }
  })
  const expected = weightedNights.filter(({ night }) => (weekdays[night.weekday]?.chance ?? 0) > QUIET_CHANCE)
  const empty = expected.filter((one) => !one.isActive)
  return {
    knownNights: weightedNights.length,
    minOccupiedSlots: minOccupied,
    activeNights: active.map(({ night }) => night),
    weekdays,
    emptyNightShare: expected.length === 0 ? 1 : weightOf(empty) / weightOf(expected),
    usualQuietQuarters: quantile(longestQuietPeriods(recentNights, weekdays, minOccupied), 0.95),
  }
}
