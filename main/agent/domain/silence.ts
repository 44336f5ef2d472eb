import { SLOTS } from '../../../shared/status/nights.ts'
import {
  type Habit,
  isExpected,
  learnHabit,
  type NightRecord,
  occupiedSlots,
  quantile,
} from './recording-habit.ts'

/** With fewer nights, Sluice cannot know a weekly habit. */
const MIN_NIGHTS = 7
const MIN_ACTIVE_NIGHTS = 5
/**
 * A folder with a larger share of empty nights records irregularly, so Sluice reports no overdue first recording. The
 * share leaves out weekdays that are quiet by habit.
 */
const MAX_EMPTY_NIGHT_SHARE = 0.15
/**
 * An empty night proves nothing if Sluice watched a smaller share of the usual recording time: the PC may have been
 * off.
 */
const WATCHED_SHARE = 0.5
/** By the latest usual start, this share of the active nights has its first recording. */
const LATEST_START_SHARE = 0.95
/** The first recording is overdue at the earliest this many quarters of an hour after the latest usual start. */
const MIN_MARGIN_QUARTERS = 2
/** This margin is larger, because one weekday has only few nights. */
const MIN_WEEKDAY_MARGIN_QUARTERS = 4
const ENOUGH_NIGHTS_OF_WEEKDAY = 4
/** The shortest silence, in quarters of an hour. Each watched quarter is weighted by its probability of a recording. */
const MIN_QUIET_QUARTERS = 4
const QUIET_FACTOR = 1.5
/** Requires a longer silence if the habit is based on few nights. */
const FEW_NIGHTS_FACTOR = 8
/** A run of empty nights is a silence if it is less likely than one in a thousand. */
const MIN_UNLIKELINESS = Math.log(1_000)
/** Limits the probability of a recording in a night, so that one empty night alone never proves silence. */
const MAX_NIGHT_CHANCE = 0.95
/** After this many dismissals in a row, the folder is mute until it records again. */
const DISMISSALS_TO_MUTE = 2

export type Expectation = {
  /** How many recordings an active night has by this time: the median, and the usual minimum and maximum. */
  readonly usual: number
  readonly minUsual: number
  readonly maxUsual: number
  /** The number of nights behind these figures. */
  readonly nights: number
  /** Whether all these nights have tonight's weekday. */
  readonly isSameWeekday: boolean
}

export type SilenceVerdict =
  /** Too little is known about the folder or this weekday. */
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
      /** The night in which the folder fell silent. For `nights`, the first empty night. */
      readonly night: string
      /** The nights since the last recording or dismissal, including tonight. 0 if tonight has a recording. */
      readonly emptyNights: number
      readonly expectation: Expectation
      readonly recordedTonight: number
      /** False if tonight has no recording and none is expected: then the folder fell silent on an earlier night. */
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

/** When the first recording of a night on this weekday is due, as a slot. */
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

/** Whether a night without a recording should have one by now, after `passedSlots` quarters of an hour. */
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

/** The expected number of quarters with a recording between two slots, counting only watched quarters. */
const expectedQuartersBetween = (habit: Habit, night: NightRecord, from: number, to: number): number => {
  let quarters = 0
  for (let slot = from; slot < to; slot += 1)
    if (night.watched[slot]) quarters += habit.weekdays[night.weekday]?.profile[slot] ?? 0
  return quarters
}

/**
 * Whether a folder is silent. `nights`: from the oldest night to tonight. `passedSlots`: how many quarters of an hour
 * of tonight have passed. Each call judges all nights since the last recording or dismissal. So the folder stays silent
 * until it records again or a user dismisses the silence.
 */
export const judgeSilence = (
  nights: readonly NightRecord[],
  passedSlots: number,
  learn: (nights: readonly NightRecord[]) => Habit = learnHabit,
): SilenceVerdict => {
  const lastRecordedIndex = nights.findLastIndex(({ recorded }) => recorded > 0)
  const tonight = nights.at(-1)
  if (lastRecordedIndex < 0 || tonight === undefined) return { kind: 'unknown' }
  // The recorder may have died in the night of the last recording. Learning from that night or from later ones would
  // turn the silence into a habit.
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
