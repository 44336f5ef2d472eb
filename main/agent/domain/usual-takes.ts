import type { InspectedChannel, Inspection } from '../../../shared/status/inspection.ts'
import { formatBytes } from '../../../shared/words/format.ts'
import {
  averageRateHz,
  formatNumber,
  formatSeconds,
  isPartial,
  limitSentences,
  signalFaultOf,
} from './find-deviations.ts'
import { continuesSplit } from './split-recordings.ts'

/** The facts of a finished recording that the comparison needs. */
export type Take = {
  readonly name: string
  readonly sizeBytes: number
  readonly inspection: Inspection
}

/**
 * `reported`: Sluice reported deviations. `dismissed`: a user dismissed this report, or earlier reports of the same
 * deviations.
 */
export type PastTake = Take & { readonly report: 'none' | 'reported' | 'dismissed' }

/** With fewer recordings, Sluice cannot know what is usual. */
const MIN_PAST_TAKES = 5
const MAX_PAST_TAKES = 30
/** A channel stays usual even if one recording in 50 lacks it. */
const MIN_SHARE = 0.98
/** A deviation that is dismissed this often in a row becomes usual. */
const DISMISSALS_UNTIL_USUAL = 2
/** A channel is optional after this many dismissed absences, if it was there in between. */
const ABSENCES_UNTIL_OPTIONAL = 2
/** A recording that is too short for this many messages of a channel proves nothing about the channel. */
const MIN_EXPECTED_MESSAGES = 5
/** Shorter gaps harm no recording, however unusual they are. */
const MIN_GAP_S = 1
/** Smaller files of unknown duration may be notes, so Sluice does not compare their sizes. */
const MIN_COMPARED_BYTES = 100_000

/**
 * A value deviates if it differs from the median by more than the factor `ratio`, and from every past value by more
 * than the factor `margin`. It must also be far outside the usual spread. And the most extreme past value must be
 * closer to the median than to this value.
 */
type Bounds = { readonly ratio: number; readonly margin: number }
const bounds = {
  rate: { ratio: 1.5, margin: 1.25 },
  gap: { ratio: 4, margin: 2 },
  duration: { ratio: 4, margin: 3 },
  bytes: { ratio: 4, margin: 2 },
} as const satisfies Record<string, Bounds>

/**
 * The required distance from the median, as a multiple of the spread. With few values, it is larger, because they show
 * the spread poorly.
 */
const spreadsFor = (count: number): number => 2 + 30 / count
/** Converts the median of absolute deviations to a standard deviation. */
const MAD_TO_SIGMA = 1.4826

const medianOf = (sorted: readonly number[]): number => {
  const middle = (sorted.length - 1) / 2
  return (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2
}

type Usual = {
  readonly median: number
  readonly isClearlyLow: (value: number, bound: Bounds) => boolean
  readonly isClearlyHigh: (value: number, bound: Bounds) => boolean
}

/**
 * Null if too few values are known. Compares ratios, not differences: a difference of 2 s is large for a recording of
 * 4 s, but small for one of 400 s.
 */
const usualOf = (values: readonly (number | null)[]): Usual | null => {
  const sorted = values
    .flatMap((value) => (value !== null && value > 0 ? [value] : []))
    .toSorted((a, b) => a - b)
  if (sorted.length < MIN_PAST_TAKES) return null
  const [lowest, median, highest] = [sorted[0]!, medianOf(sorted), sorted.at(-1)!]
  const spreads = sorted.map((value) => Math.abs(Math.log(value / median))).toSorted((a, b) => a - b)
  const factor = Math.exp(spreadsFor(sorted.length) * MAD_TO_SIGMA * medianOf(spreads))
  return {
    median,
    isClearlyLow: (value, { ratio, margin }) =>
      value < median / Math.max(ratio, factor) && value < lowest / Math.max(margin, median / lowest),
    isClearlyHigh: (value, { ratio, margin }) =>
      value > median * Math.max(ratio, factor) && value > highest * Math.max(margin, highest / median),
  }
}

/** The name with `#` for each number and ID. All recordings of one camera have the same pattern. */
const patternOf = (name: string): string =>
  name.toLowerCase().replaceAll(/[0-9a-f]{8,}(?:-[0-9a-f]{4,})*|\d+/g, '#')

const extensionOf = (name: string): string => /\.[^.]*$/.exec(name)?.[0].toLowerCase() ?? ''

/** The past recordings of the same kind, newest first. A folder may hold several kinds. */
const findSameKind = (take: Take, past: readonly PastTake[]): readonly PastTake[] => {
  const sameFormat = past.filter(
    ({ name, inspection }) =>
      inspection.format === take.inspection.format && extensionOf(name) === extensionOf(take.name),
  )
  const counts = new Map<string, number>()
  for (const { name } of sameFormat) counts.set(patternOf(name), (counts.get(patternOf(name)) ?? 0) + 1)
  const pattern = patternOf(take.name)
  if ((counts.get(pattern) ?? 0) >= MIN_PAST_TAKES)
    return sameFormat.filter(({ name }) => patternOf(name) === pattern)
  // If most patterns are rare, people probably type the names. Then all recordings of the format are one kind.
  const rare = sameFormat.filter(({ name }) => counts.get(patternOf(name))! < MIN_PAST_TAKES)
  return rare.length * 2 > sameFormat.length ? sameFormat : []
}

type Deviation = { readonly key: string; readonly sentence: string }

const hasMessages = ({ messages }: InspectedChannel): boolean => messages !== 0

/**
 * `usual`: recordings without a report, newest first. `seen`: recordings without an open report that were inspected
 * completely. If the habit is new, reports do not matter: see `habitOf`.
 */
type Habit = { readonly usual: readonly Take[]; readonly seen: readonly PastTake[] }

const channelIn = ({ channels }: Inspection, name: string): InspectedChannel | undefined =>
  channels.find((channel) => channel.name === name && hasMessages(channel))

/**
 * The channels that almost every recording has. A series of dismissed recordings without a channel counts as one
 * absence. A channel becomes optional only after several dismissed absences, because it may come back after the first.
 */
const usualChannels = ({ seen }: Habit): readonly string[] => {
  const takes = seen.map(({ inspection, report }) => ({
    names: new Set(inspection.channels.filter(hasMessages).map((channel) => channel.name)),
    isDismissed: report !== 'none',
  }))
  const allNames = new Set(takes.flatMap(({ names }) => [...names]))
  return [...allNames].filter((name) => {
    let [present, absent, dismissedAbsences, isInDismissedAbsence] = [0, 0, 0, false]
    for (const { names, isDismissed } of takes) {
      const isAbsent = !names.has(name)
      if (!isAbsent) present += 1
      else if (!isDismissed) absent += 1
      else if (!isInDismissedAbsence) dismissedAbsences += 1
      isInDismissedAbsence = isAbsent && isDismissed
    }
    if (dismissedAbsences >= ABSENCES_UNTIL_OPTIONAL) absent += dismissedAbsences
    return present >= (present + absent) * MIN_SHARE
  })
}

/** Whether the channel's pictures or sound were checked often enough, and always varied. */
const usuallyVaries = (past: readonly InspectedChannel[]): boolean => {
  const checked = past.filter(({ signal }) => signal !== undefined)
  return checked.length >= MIN_PAST_TAKES && checked.every((channel) => signalFaultOf(channel) === null)
}

const channelDeviations = (take: Inspection, habit: Habit): readonly Deviation[] =>
  usualChannels(habit).flatMap((name): Deviation[] => {
    const measurements = habit.usual.flatMap(({ inspection }) => {
      const channel = channelIn(inspection, name)
      return channel === undefined
        ? []
        : [{ ...channel, rateHz: averageRateHz(channel, inspection.durationS) }]
    })
    const rate = usualOf(measurements.map(({ rateHz }) => rateHz))
    if (rate !== null && take.durationS !== null && rate.median * take.durationS < MIN_EXPECTED_MESSAGES)
      return []
    const usualRateWords = rate === null ? '' : ` (usually ${formatNumber(rate.median)} Hz)`
    const channel = take.channels.find((each) => each.name === name)
    if (channel === undefined)
      return [{ key: `channel ${name}`, sentence: `${name} is missing${usualRateWords}.` }]
    if (!hasMessages(channel))
      return [{ key: `channel ${name}`, sentence: `${name} has no messages${usualRateWords}.` }]
    const rateHz = averageRateHz(channel, take.durationS)
    const gap = usualOf(measurements.map(({ largestGapS }) => largestGapS))
    const { largestGapS } = channel
    const isSlow = rate !== null && rateHz !== null && rate.isClearlyLow(rateHz, bounds.rate)
    const hasGap =
      gap !== null &&
      largestGapS !== null &&
      largestGapS > MIN_GAP_S &&
      gap.isClearlyHigh(largestGapS, bounds.gap)
    const signalFault = usuallyVaries(measurements) ? signalFaultOf(channel) : null
    return [
      ...(signalFault === null
        ? []
        : [{ key: `signal ${name}`, sentence: `${name} ${signalFault} (usually not).` }]),
      ...(isSlow
        ? [
            {
              key: `rate ${name}`,
              sentence: `${name} has ${formatNumber(rateHz)} Hz on average${usualRateWords}.`,
            },
          ]
        : []),
      ...(hasGap
        ? [
            {
              key: `gap ${name}`,
              sentence: `${name} has a gap of ${formatSeconds(largestGapS)} (usually ${formatSeconds(gap.median)}).`,
            },
          ]
        : []),
    ]
  })

/** Recordings with a dismissed report count too, because nothing is wrong with their durations. */
const durationDeviations = (take: Take, { seen }: Habit): readonly Deviation[] => {
  const usual = usualOf(seen.map(({ inspection }) => inspection.durationS))
  const { durationS } = take.inspection
  if (usual === null || durationS === null) return []
  const isShort = usual.isClearlyLow(durationS, bounds.duration) && !continuesSplit(take, seen)
  if (!isShort && !usual.isClearlyHigh(durationS, bounds.duration)) return []
  return [
    {
      key: 'duration',
      sentence: `The recording lasts ${formatSeconds(durationS)} (usually ${formatSeconds(usual.median)}).`,
    },
  ]
}

const bytesPerSecond = ({ sizeBytes, inspection: { durationS } }: Take): number | null =>
  durationS === null || durationS === 0 ? null : sizeBytes / durationS

/**
 * Finds an unusually small file: black pictures compress to almost nothing. Compares the size per second if the
 * duration is known.
 */
const sizeDeviations = (take: Take, past: readonly Take[]): readonly Deviation[] => {
  const perSecond = bytesPerSecond(take)
  const usual = usualOf(past.map(perSecond === null ? ({ sizeBytes }) => sizeBytes : bytesPerSecond))
  const value = perSecond ?? take.sizeBytes
  if (usual === null || !usual.isClearlyLow(value, bounds.bytes)) return []
  if (perSecond === null && usual.median < MIN_COMPARED_BYTES) return []
  const unit = perSecond === null ? '' : ' per second'
  return [
    {
      key: 'bytes',
      sentence: `The file has ${formatBytes(value)}${unit} (usually ${formatBytes(usual.median)}).`,
    },
  ]
}

const isCutOff = ({ completeness }: Inspection): boolean => completeness === 'cut-off'

const deviationsFrom = (take: Take, habit: Habit): readonly Deviation[] => {
  const { usual } = habit
  const inspections = usual.map(({ inspection }) => inspection)
  // A missing end explains everything else that is missing, so report only the end. If usual recordings are cut off
  // too, report nothing.
  if (isCutOff(take.inspection))
    return inspections.some(isCutOff) ? [] : [{ key: 'end', sentence: 'The file is cut off.' }]
  if (isPartial(take.inspection)) return []
  return [
    ...channelDeviations(take.inspection, habit),
    ...durationDeviations(take, habit),
    ...sizeDeviations(take, usual),
  ]
}

/**
 * Usually, recordings with a report do not show the habit. But if at least half of the past recordings have a report,
 * the habit is new, and all past recordings show it. Null if too few recordings show the habit.
 */
const habitOf = (similar: readonly PastTake[]): Habit | null => {
  const unreported = similar.filter(({ report }) => report === 'none')
  const isNewHabit = unreported.length * 2 <= similar.length
  const usual = isNewHabit ? similar : unreported
  if (usual.length < MIN_PAST_TAKES) return null
  const seen = isNewHabit
    ? similar.map((each): PastTake => ({ ...each, report: 'none' }))
    : similar.filter(({ report }) => report !== 'reported')
  return {
    usual: usual.slice(0, MAX_PAST_TAKES),
    seen: seen.filter(({ inspection }) => !isPartial(inspection)),
  }
}

/**
 * `isAccepted`: the last recordings had the same deviations and no open report. So Sluice does not report these
 * deviations again.
 */
export type Comparison = { readonly deviations: readonly string[]; readonly isAccepted: boolean }

/**
 * Compares a recording with what its folder usually holds. Returns one sentence for each clear deviation. `past`: the
 * last recordings of the folder, newest first.
 */
export const compareWithUsual = (take: Take, past: readonly PastTake[]): Comparison => {
  const similar = findSameKind(take, past)
  const habit = habitOf(similar)
  const deviations = habit === null ? [] : deviationsFrom(take, habit)
  if (habit === null || deviations.length === 0) return { deviations: [], isAccepted: false }
  // Someone may have changed the set-up on purpose and dismissed the reports. Accept deviations that the last
  // recordings had too.
  const dismissedDeviations = similar
    .slice(0, DISMISSALS_UNTIL_USUAL)
    .map((each) => (each.report === 'reported' ? [] : deviationsFrom(each, habit)))
  const isAccepted = ({ key }: Deviation) =>
    dismissedDeviations.every((ofOneTake) => ofOneTake.some((each) => each.key === key))
  const unaccepted = deviations.filter((deviation) => !isAccepted(deviation))
  const shown = unaccepted.length === 0 ? deviations : unaccepted
  return {
    deviations: limitSentences(shown.map(({ sentence }) => sentence)),
    isAccepted: unaccepted.length === 0,
  }
}
