import {
  type Night,
  nightsUntil,
  QUARTER_MS,
  quarterOf,
  SLOTS,
  slotAt,
} from '../../../shared/status/nights.ts'

/** One night of one folder, by quarters of an hour. */
export type NightRecord = {
  readonly name: string
  /** The weekday on which the night begins; 0 is Sunday. */
  readonly weekday: number
  /** Recordings found in each quarter. */
  readonly counts: readonly number[]
  /** For each quarter, whether the folder was watched: the agent ran, and the folder was not missing. */
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
    // A quarter with a recording counts as watched, even if the journal has no entry for it.
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

/** The oldest night comes first, the current night last. */
export const nightRecordsUntil = (
  nowMs: number,
  nights: number,
  history: FolderHistory,
  silenceMarks: ReadonlyMap<string, 'reported' | 'dismissed'>,
): readonly NightRecord[] =>
  nightsUntil(nowMs, nights).map((night) =>
    nightRecordOf(night, history, silenceMarks.get(night.name) ?? null),
  )

/** Sluice learns a habit from the last eight weeks. The newest nights count most. */
const LEARN_NIGHTS = 56
/**
 * This many nights in a row without a recording are a break. Once recordings follow a break, the habit before it no
 * longer counts.
 */
const BREAK_NIGHTS = 14
const HALF_LIFE_NIGHTS = 28
/** An empty night counts only if at least this share of its usual hours was watched. */
const WATCHED_SHARE = 0.5

/**
 * A reported silence that no user dismissed counts as a failure of the recorder. But if at least this share of the
 * nights are active and have such a silence, the silence is the habit.
 */
const MAX_FAILURE_SHARE = 0.1

/**
 * In an active night, the number of quarters with a recording is at least this share of the usual number. Every other
 * night counts as empty: its few recordings may be late ones of the night before.
 */
const MIN_NIGHT_SHARE = 0.15

export type Habit = {
  /** The number of nights that show the habit: active nights, and the empty nights that `weighKnownNights` keeps. */
  readonly knownNights: number
  /** A night counts as active if at least this many quarters have a recording. */
  readonly minOccupiedSlots: number
  /** The newest night is the last. */
  readonly activeNights: readonly NightRecord[]
  readonly weekdays: readonly WeekdayHabit[]
  /** The share of empty nights among the known nights. Nights of a weekday that is quiet by habit do not count. */
  readonly emptyNightShare: number
  /** The longest usual quiet period of an active night, as the number of quarters in which a recording was expected. */
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
/** At this chance or below, a weekday is quiet by habit. */
const QUIET_CHANCE = 0.3
/**
 * The average of all weekdays counts as much as this many nights of one weekday. So a weekday with few known nights is
 * judged mostly by that average.
 */
const PRIOR_NIGHTS = 2

export const isExpected = ({ chance, knownNights }: WeekdayHabit): boolean =>
  knownNights > 0 && chance >= EXPECTED_CHANCE

const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0)

/** The value that the given share of the numbers does not exceed. */
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
 * An active night is known. An empty night is known if enough of its usual hours were watched and it does not follow a
 * dismissed silence. Newer nights have more weight.
 */
const weighKnownNights = (nights: readonly NightRecord[], minOccupied: number): readonly WeightedNight[] => {
  const isActive = (night: NightRecord) => occupiedSlots(night) >= minOccupied
  const usualProfile = profileOf(
    nights.filter(isActive).map((night) => ({ night, weight: 1, isActive: true })),
  )
  const expectedQuarters = sum(usualProfile)
  // True after a night whose silence a user dismissed, until the next active night. The nights between show no habit.
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
    // A reported silence that no user dismissed is either a failure or a new habit, so its night has half the weight.
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
 * The longest quiet period of each active night, without nights whose silence was a failure. A period may continue from
 * the night before, unless that night was left out. A period is measured in quarters in which a recording was expected,
 * not in hours, because a quiet hour before dawn may be usual.
 */
const longestQuietPeriods = (
  nights: readonly NightRecord[],
  weekdays: readonly WeekdayHabit[],
  minOccupied: number,
): readonly number[] => {
  const reported = nights.filter(
    (night) => occupiedSlots(night) >= minOccupied && night.silenceMark === 'reported',
  ).length
  // A silence that is reported now and then is a failure. A silence that is often reported and never dismissed is the
  // habit.
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
 * Drops the nights before the first recording. After a long break, drops all nights before the recording that ended the
 * break, because they do not show today's habit.
 */
const dropNightsBeforeBreak = (nights: readonly NightRecord[]): readonly NightRecord[] => {
  let emptyNights = BREAK_NIGHTS
  let from = 0
  nights.forEach(({ recorded, silenceMark }, index) => {
    if (recorded > 0 && emptyNights >= BREAK_NIGHTS) from = index
    // A silence that was reported and not dismissed was a dead recorder, not a break.
    emptyNights = recorded > 0 || silenceMark === 'reported' ? 0 : emptyNights + 1
  })
  return nights.slice(from)
}

/** Learns a folder's habit from its past nights, of which the oldest comes first. */
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
