import { type Finding, pass, skip, warn } from '../../../shared/ipc/station-check.ts'
import type { FolderSettings } from '../../../shared/settings/settings.ts'
import type { TakeExpectation } from '../../../shared/settings/take-expectation.ts'
import type { Inspection } from '../../../shared/status/inspection.ts'
import { plural } from '../../../shared/words/format.ts'
import { formatWords } from '../../../shared/words/inspection-words.ts'
import { findDeviations, formatNumber, formatSeconds, matchesChannel } from './find-deviations.ts'
import { MIN_LEARNED_RECORDINGS } from './learn-expectation.ts'

type Verdict = Omit<Finding, 'subject'>

const CORRECT_IT = 'Correct the expected content of the folder, or learn it from the last recordings.'
const MAX_NAMED = 3

/**
 * Finds channels whose limits contradict each other: messages at the minimum rate would exceed the largest allowed gap.
 */
const contradictions = ({ channels }: TakeExpectation): readonly string[] =>
  channels.flatMap(({ name, min_rate_hz: rateHz, max_gap_seconds: gapS }) =>
    rateHz !== undefined && gapS !== undefined && gapS * rateHz < 1
      ? [
          `${name} may have gaps of at most ${formatSeconds(gapS)}, but at its minimum rate of ${formatNumber(rateHz)} Hz its messages are ${formatSeconds(1 / rateHz)} apart.`,
        ]
      : [],
  )

const listNames = (names: readonly string[]): string =>
  names.length > MAX_NAMED
    ? `${names.slice(0, MAX_NAMED).join(', ')} and ${names.length - MAX_NAMED} more`
    : names.join(', ')

/** Compares the expectation with existing recordings. If none of them meets it, it is probably wrong. */
const judgeByRecordings = (expect: TakeExpectation, inspections: readonly Inspection[]): Verdict => {
  const { format } = expect
  const samples = inspections.filter((each) => format === undefined || each.format === format)
  if (samples.length === 0 && format !== undefined)
    return warn(
      inspections.length === 1
        ? `The last recording does not have the format ${formatWords[format]}, so Sluice does not check it.`
        : `None of the last ${plural(inspections.length, 'recording')} has the format ${formatWords[format]}, so Sluice checks none.`,
      CORRECT_IT,
    )
  const seen = samples.flatMap(({ channels }) => channels)
  const words = plural(samples.length, 'recording')
  const unmatched = expect.channels.filter((expected) =>
    seen.every(({ name }) => !matchesChannel(expected.name, name)),
  )
  if (unmatched.length > 0)
    return warn(
      `${samples.length === 1 ? 'The last recording has' : `The last ${words} have`} no channel ${listNames(unmatched.map(({ name }) => name))}.`,
      'Correct the name of the channel, or check the recorder.',
    )
  const unchecked = expect.channels.filter(
    (expected) =>
      expected.not_constant === true &&
      seen.every(({ name, signal }) => signal === undefined || !matchesChannel(expected.name, name)),
  )
  if (unchecked.length > 0)
    return warn(
      `Sluice cannot check the pictures or the sound of ${listNames(unchecked.map(({ name }) => name))}.`,
      'Remove “not constant” from these channels. Sluice still checks their rates and gaps.',
    )
  const deviating = samples.filter((each) => findDeviations(each, expect).length > 0).length
  if (deviating === samples.length && samples.length >= MIN_LEARNED_RECORDINGS)
    return warn(
      `Each of the last ${words} deviates: ${findDeviations(samples[0]!, expect)[0]}`,
      `Check the recorder. ${CORRECT_IT}`,
    )
  return pass(
    samples.length === 1
      ? `The last recording ${deviating === 0 ? 'is as expected' : 'deviates'}.`
      : `${deviating === 0 ? 'None' : deviating} of the last ${words} ${deviating > 1 ? 'deviate' : 'deviates'}.`,
  )
}

/** Judges the expectation of a folder. `inspections`: the inspections of the folder's last recordings, newest first. */
export const judgeExpectation = (
  { expect, on_deviation }: Pick<FolderSettings, 'expect' | 'on_deviation'>,
  inspections: readonly Inspection[],
): Verdict => {
  if (on_deviation === 'off')
    return expect === undefined
      ? skip('Sluice does not report deviations in this folder.')
      : warn(
          'Expected content is set, but Sluice does not report deviations.',
          'Set on_deviation to warn or hold.',
        )
  const known = inspections.filter(({ format }) => format !== 'other')
  if (expect === undefined)
    return known.length < MIN_LEARNED_RECORDINGS
      ? skip(
          `Sluice compares recordings once ${MIN_LEARNED_RECORDINGS} are inspected. So far: ${known.length}.`,
        )
      : pass('Sluice compares each recording with the earlier ones.')
  const [contradiction] = contradictions(expect)
  if (contradiction !== undefined) return warn(contradiction, CORRECT_IT)
  if (known.length === 0) return skip('No recording of this folder has been inspected yet.')
  return judgeByRecordings(expect, known)
}
