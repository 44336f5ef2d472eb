import { SLOTS } from '../../../shared/status/nights.ts'
import {
  type Habit,
  isExpected,
  learnHabit,
  type NightRecord,
  occupiedSlots,
  quantile,
} from './recording-habit.ts'

/** Fewer nights do not show a weekly habit. */
const MIN_NIGHTS = 7
const MIN_ACTIVE_NIGHTS = 5
/**
 * If more than this share of the known nights are empty, the folder records irregularly. Then Sluice does not report
 * that the first recording of a night is overdue. Nights of a weekday that is quiet by habit do not count.
 */
const MAX_EMPTY_NIGHT_SHARE = 0.15
/**
 * If less than this share of the usual recording time was watched, an empty night proves nothing: the PC may have been
 * off.
 */
const WATCHED_SHARE = 0.5
/** This share of the active nights had its first recording by the latest usual start. */
const LATEST_START_SHARE = 0.95
/**
 * The minimum margin, in quarters of an hour. A first recording is overdue only when the latest usual start and this
 * margin have passed.
 */
const MIN_MARGIN_QUARTERS = 2
/** The nights of one weekday are few, so their margin is larger. */
const MIN_WEEKDAY_MARGIN_QUARTERS = 4
const ENOUGH_NIGHTS_OF_WEEKDAY = 4
/**
 * The shortest quiet period that counts as silence. Each watched quarter of an hour counts with the probability that it
 * has a recording. Other quarters do not count.
 */
const MIN_QUIET_QUARTERS = 4
const QUIET_FACTOR = 1.5
/** Raises the limit for silence if the habit is based on few nights. */
const FEW_NIGHTS_FACTOR = 8
/** A run of empty nights is silence if its probability is below one in a thousand. */
const MIN_UNLIKELINESS = Math.log(1_000)
/** Caps the probability of a recording in a night, so that one empty night alone never proves silence. */
const MAX_NIGHT_CHANCE = 0.95
/** A user who dismisses the silence twice without a recording in between mutes the folder until it records again. */
const DISMISSALS_TO_MUTE = 2

export type Expectation = {
  /** How many recordings an active night has by this time: the median, and the usual minimum and maximum. */
  readonly usual: number
  readonly minUsual: number
  readonly maxUsual: number
  /** From how many nights these figures come, and whether all these nights are of tonight's weekday. */
  readonly nights: number
  readonly isSameWeekday: boolean
}

export type SilenceVerdict =
  /** The past nights do not show enough about the folder, or about this weekday. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'as-usual' }
  /** Nothing is expected in this night. */
  | { readonly kind: 'quiet-by-habit' }
  | { readonly kind: 'dismissed' }
  | {
      readonly kind: 'silent'
      /**
       * `not-begun`: the first recording of `night` was overdue. `stopped`: the recordings stopped. `nights`: several
       * nights are empty.
       */
      readonly how: 'not-begun' | 'stopped' | 'nights'
      /**
       * For `not-begun` and `stopped`, the night in which the folder first counted as silent. For `nights`, the first
       * of the empty nights.
       */
      readonly night: string
      /**
       * The number of nights since the last recording or dismissal, including tonight. 0 if tonight has a recording.
       */
      readonly emptyNights: number
      readonly expectation: Expectation
      readonly recordedTonight: number
      /** False if tonight has no recording and none is expected. Then the silence began in an earlier night. */
      readonly expectedTonight: boolean
      readonly activeNights: number
      readonly knownNights: number
    }

const unknownDay = { knownNights: 0, chance: 0, profile: [] }

const median = (numbers: readonly number[]) => quantile(numbers, 0.5)

const countRecordings = ({ counts }: NightRecord, passedSlots: number) =>
  counts.slice(0, passedSlots).reduce((all, count) => all + count, 0)

const expectationOf = (habit: Habit, weekday: number, passedSlots: number): Expectation => {
  const nightsOfWeekday = habit.activeNights.filter((night) => night.weekday === weekday)
  const isSameWeekday = nightsOfWeekday.length >= ENOUGH_NIGHTS_OF_WEEKDAY
  const nights = isSameWeekday ? nightsOfWeekday : habit.activeNights
  const counts = nights.map((night) => countRecordings(night, passedSlots))
  return {
    usual: median(counts),
    minUsual: quantile(counts, 0.1),
    maxUsual: quantile(counts, 0.9),
    nights: nights.length,
    isSameWeekday,
  }
}

const firstOccupiedSlot = ({ counts }: NightRecord) => counts.findIndex((count) => count > 0)

/** The slot by which a night of this weekday usually has its first recording, plus a margin. */
const latestStartSlot = (habit: Habit, weekday: number): number => {
  const latestSlotOf = (nights: readonly NightRecord[], share: number, minMargin: number) => {
    const starts = nights.map(firstOccupiedSlot)
    const latest = quantile(starts, share)
    return latest + Math.max(minMargin, latest - median(starts))
  }
  const nightsOfWeekday = habit.activeNights.filter((night) => night.weekday === weekday)
  const slotOfAllNights = latestSlotOf(habit.activeNights, LATEST_START_SHARE, MIN_MARGIN_QUARTERS)
  return nightsOfWeekday.length < ENOUGH_NIGHTS_OF_WEEKDAY
    ? slotOfAllNights
    : Math.min(slotOfAllNights, latestSlotOf(nightsOfWeekday, 1, MIN_WEEKDAY_MARGIN_QUARTERS))
}

/** Whether a night without a recording should have one by now. `passedSlots` quarters of the night have passed. */
const isRecordingOverdue = (habit: Habit, night: NightRecord, passedSlots: number): boolean => {
  const weekday = habit.weekdays[night.weekday]
  if (weekday === undefined || habit.knownNights < MIN_NIGHTS || !isExpected(weekday)) return false
  if (habit.emptyNightShare > MAX_EMPTY_NIGHT_SHARE) return false
  const dueSlot = Math.min(latestStartSlot(habit, night.weekday), SLOTS - 1)
  if (passedSlots <= dueSlot || night.watched[passedSlots - 1] !== true) return false
  let expectedQuarters = 0
  let watchedQuarters = 0
  for (let slot = 0; slot < passedSlots; slot += 1) {
    expectedQuarters += weekday.profile[slot] ?? 0
    if (night.watched[slot]) watchedQuarters += weekday.profile[slot] ?? 0
  }
  return expectedQuarters > 0 && watchedQuarters >= WATCHED_SHARE * expectedQuarters
}

/** The expected number of quarters with a recording between two slots of a night. Only watched quarters count. */
const expectedQuartersBetween = (habit: Habit, night: NightRecord, from: number, to: number): number => {
  let quarters = 0
  for (let slot = from; slot < to; slot += 1)
    if (night.watched[slot]) quarters += habit.weekdays[night.weekday]?.profile[slot] ?? 0
  return quarters
}

/**
 * Whether a folder is silent. `nights` begins with the oldest night and ends with the current one. Of the current
 * night, the first `passedSlots` quarters of an hour have passed. The function keeps no state: each call judges all
 * nights since the last recording or dismissal again. So a silent folder stays silent until a recording arrives or a
 * user dismisses the silence.
 */
export const judgeSilence = (
  nights: readonly NightRecord[],
  passedSlots: number,
  learn: (nights: readonly NightRecord[]) => Habit = learnHabit,
): SilenceVerdict => {
  const lastRecordedIndex = nights.findLastIndex(({ recorded }) => recorded > 0)
  const tonight = nights.at(-1)
  if (lastRecordedIndex < 0 || tonight === undefined) return { kind: 'unknown' }
  // The recorder may have died in the night of the last recording. If Sluice learned from that night and the empty
  // nights since, silence would become the habit. So Sluice learns only from earlier nights.
  const habit = learn(nights.slice(0, lastRecordedIndex))
  const dismissedIndexes = nights.flatMap(({ silenceMark }, index) =>
    index >= lastRecordedIndex && silenceMark === 'dismissed' ? [index] : [],
  )
  const latestDismissedIndex = dismissedIndexes.at(-1) ?? -1
  if (
    latestDismissedIndex === nights.length - 1 ||
    dismissedIndexes.filter((index) => index > lastRecordedIndex).length >= DISMISSALS_TO_MUTE
  )
    return { kind: 'dismissed' }
  if (habit.knownNights < MIN_NIGHTS) return { kind: 'unknown' }

  const silent = (how: 'not-begun' | 'stopped' | 'nights', index: number): SilenceVerdict => ({
    kind: 'silent',
    how,
    night: nights[index]?.name ?? '',
    emptyNights: nights.length - 1 - Math.max(lastRecordedIndex, latestDismissedIndex),
    expectation: expectationOf(habit, tonight.weekday, passedSlots),
    recordedTonight: tonight.recorded,
    expectedTonight: tonight.recorded > 0 || isExpected(habit.weekdays[tonight.weekday] ?? unknownDay),
    activeNights: habit.activeNights.length,
    knownNights: habit.knownNights,
  })
  const passedSlotsOf = (index: number) => (index === nights.length - 1 ? passedSlots : SLOTS)

  const quietQuartersLimit = Math.max(
    MIN_QUIET_QUARTERS,
    (QUIET_FACTOR + FEW_NIGHTS_FACTOR / habit.activeNights.length) * habit.usualQuietQuarters,
  )
  let quietQuarters = 0
  let unlikeliness = 0
  for (let index = Math.max(lastRecordedIndex, latestDismissedIndex + 1); index < nights.length; index += 1) {
    const night = nights[index]
    const weekday = night === undefined ? undefined : habit.weekdays[night.weekday]
    if (night === undefined || weekday === undefined) continue
    const from = index === lastRecordedIndex ? night.counts.findLastIndex((count) => count > 0) + 1 : 0
    const hasBegun = index === lastRecordedIndex && occupiedSlots(night) >= habit.minOccupiedSlots
    if (hasBegun || isExpected(weekday))
      quietQuarters += expectedQuartersBetween(habit, night, from, passedSlotsOf(index))
    if (index !== lastRecordedIndex && isRecordingOverdue(habit, night, passedSlotsOf(index)))
      return silent('not-begun', index)
    if (habit.activeNights.length >= MIN_ACTIVE_NIGHTS && quietQuarters >= quietQuartersLimit)
      return silent('stopped', index)
    if (index === lastRecordedIndex) continue
    if (index === nights.length - 1 || !night.watched.includes(true)) continue
    unlikeliness -= Math.log(1 - Math.min(weekday.chance, MAX_NIGHT_CHANCE))
    if (
      habit.knownNights >= 2 * MIN_NIGHTS &&
      habit.activeNights.length >= MIN_ACTIVE_NIGHTS &&
      unlikeliness >= MIN_UNLIKELINESS
    )
      return silent('nights', Math.max(lastRecordedIndex, latestDismissedIndex) + 1)
  }
  const expected = habit.weekdays[tonight.weekday]
  if (tonight.recorded > 0) return { kind: 'as-usual' }
  if (expected === undefined || expected.knownNights === 0) return { kind: 'unknown' }
  return isExpected(expected) ? { kind: 'as-usual' } : { kind: 'quiet-by-habit' }
}
