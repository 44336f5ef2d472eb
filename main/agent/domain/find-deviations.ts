import type { ExpectedChannel, TakeExpectation } from '../../../shared/settings/take-expectation.ts'
import type {
  InspectedChannel,
  Inspection,
  InspectionWarningCode,
} from '../../../shared/status/inspection.ts'
import { formatDuration, plural } from '../../../shared/words/format.ts'
import { signalWords } from '../../../shared/words/inspection-words.ts'

/** A recorder that wrote nothing deviates in every channel. The first sentences are enough to show that. */
const MAX_SENTENCES = 20

/** With one of these warnings, the inspection has skipped messages, so a missing message proves nothing. */
const partialCodes: ReadonlySet<InspectionWarningCode> = new Set([
  'took-too-long',
  'too-many-channels',
  'compression-unknown',
  'chunk-too-large',
  'not-readable',
  'time-unreadable',
])

export const isPartial = ({ warnings }: Inspection): boolean =>
  warnings.some(({ code }) => partialCodes.has(code))

/** A rate that is calculated from a rounded duration may be slightly low. */
const RATE_TOLERANCE = 0.999

/** Matches a pattern with stars. Unlike a regular expression, this never takes long. */
export const matchesChannel = (pattern: string, name: string): boolean => {
  const [first = '', ...others] = pattern.split('*')
  const last = others.pop()
  if (last === undefined) return pattern === name
  if (!name.startsWith(first)) return false
  let from = first.length
  for (const piece of others) {
    const index = name.indexOf(piece, from)
    if (index < 0) return false
    from = index + piece.length
  }
  return name.length - last.length >= from && name.endsWith(last)
}

export const formatNumber = (value: number): string =>
  value >= 10 ? value.toFixed(0) : String(Number(value.toFixed(1)))
export const formatSeconds = (value: number): string => {
  // The usual gap of a camera is a few hundredths of a second.
  if (value > 0 && value < 0.1) return `${formatNumber(value * 1000)} ms`
  return value < 60 ? `${formatNumber(value)} s` : formatDuration(value)
}

/** The rate over the whole recording: a channel that stops half-way has half of its rate. */
export const averageRateHz = (
  { messages, rateHz }: InspectedChannel,
  durationS: number | null,
): number | null => {
  if (messages === null || durationS === null || durationS === 0) return rateHz
  return Math.min(rateHz ?? Number.POSITIVE_INFINITY, messages / durationS)
}

/**
 * What is wrong with a channel's pictures or sound, such as "is black". Null if nothing is, or if Sluice could not
 * check them.
 */
export const signalFaultOf = ({ signal }: InspectedChannel): string | null =>
  signal === undefined ? null : signalWords[signal]

const channelDeviations = (
  channel: InspectedChannel,
  durationS: number | null,
  { min_rate_hz: minRateHz, max_gap_seconds: maxGapS, not_constant: mustVary }: ExpectedChannel,
): string[] => {
  const { name, messages, largestGapS } = channel
  const rateHz = averageRateHz(channel, durationS)
  if (messages === 0)
    return [
      `${name} has no messages${minRateHz === undefined ? '' : `, expected at least ${formatNumber(minRateHz)} Hz`}.`,
    ]
  const isSlow = rateHz !== null && minRateHz !== undefined && rateHz < minRateHz * RATE_TOLERANCE
  const hasGap = largestGapS !== null && maxGapS !== undefined && largestGapS > maxGapS
  const signalFault = mustVary === true ? signalFaultOf(channel) : null
  return [
    ...(signalFault === null ? [] : [`${name} ${signalFault}.`]),
    ...(isSlow
      ? [
          `${name} has ${formatNumber(rateHz)} Hz on average, expected at least ${formatNumber(minRateHz)} Hz.`,
        ]
      : []),
    ...(hasGap
      ? [`${name} has a gap of ${formatSeconds(largestGapS)}, expected at most ${formatSeconds(maxGapS)}.`]
      : []),
  ]
}

const durationDeviations = (
  durationS: number | null,
  { min_seconds: minS, max_seconds: maxS }: TakeExpectation,
): string[] => {
  if (durationS === null) return []
  if (minS !== undefined && durationS < minS)
    return [`The recording is ${formatSeconds(minS - durationS)} shorter than expected.`]
  if (maxS !== undefined && durationS > maxS)
    return [`The recording is ${formatSeconds(durationS - maxS)} longer than expected.`]
  return []
}

/** Removes repetitions: two patterns may match the same channel. Limits the number of sentences. */
export const limitSentences = (sentences: readonly string[]): readonly string[] => {
  const unique = [...new Set(sentences)]
  const omittedCount = unique.length - MAX_SENTENCES
  return omittedCount > 0
    ? [...unique.slice(0, MAX_SENTENCES), `${plural(omittedCount, 'more deviation')}.`]
    : unique
}

/** Returns one sentence for each way in which the recording deviates. */
export const findDeviations = (
  inspection: Inspection,
  expectation: TakeExpectation | undefined,
): readonly string[] => {
  const { format, completeness, channels, durationS } = inspection
  if (expectation === undefined || format === 'other') return []
  if (expectation.format !== undefined && expectation.format !== format) return []
  const sentences = [
    ...(completeness === 'cut-off' ? ['The file is cut off.'] : []),
    ...(isPartial(inspection)
      ? []
      : [
          ...expectation.channels.flatMap((expected) => {
            const matching = channels.filter(({ name }) => matchesChannel(expected.name, name))
            if (matching.length === 0) return [`${expected.name} is missing.`]
            return matching.flatMap((channel) => channelDeviations(channel, durationS, expected))
          }),
          ...durationDeviations(durationS, expectation),
        ]),
  ]
  return limitSentences(sentences)
}
