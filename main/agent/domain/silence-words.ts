import { formatClock, formatCount, momentInSentence, plural } from '../../../shared/words/format.ts'
import type { Expectation, SilenceVerdict } from './silence.ts'

type Silent = Extract<SilenceVerdict, { readonly kind: 'silent' }>

type SilenceFacts = {
  readonly name: string
  readonly sinceMs: number
  readonly nightStartMs: number
  readonly nowMs: number
}

/** "18:00" within this night. An earlier time includes its day. */
const formatMoment = (ms: number, { nightStartMs, nowMs }: SilenceFacts): string => {
  const at = new Date(ms).toISOString()
  return ms >= nightStartMs ? formatClock(at) : momentInSentence(at, nowMs)
}

/** "Hall 3 usually has 30 recordings by now; none since 18:00." */
export const silenceSentence = (silent: Silent, facts: SilenceFacts): string => {
  if (silent.how === 'nights')
    return `${facts.name} usually records on ${formatCount(silent.activeNights)} nights of ${formatCount(silent.knownNights)}; no recording for ${plural(silent.emptyNights, 'night')}.`
  const { usual } = silent.expectation
  const usualWords =
    usual === 0 ? 'is rarely silent for so long' : `usually has ${plural(usual, 'recording')} by now`
  const soFarWords = silent.recordedTonight === 0 ? '' : `${formatCount(silent.recordedTonight)} so far, `
  return `${facts.name} ${usualWords}; ${soFarWords}none since ${formatMoment(facts.sinceMs, facts)}.`
}

const formatRange = ({ minUsual, maxUsual }: Expectation) =>
  minUsual === maxUsual
    ? plural(maxUsual, 'recording')
    : `${formatCount(minUsual)} to ${plural(maxUsual, 'recording')}`

/** The reason for the sentence, on one line. */
export const silenceBecause = (silent: Silent, facts: SilenceFacts): string => {
  const { expectation, activeNights, knownNights } = silent
  if (silent.how === 'nights')
    return `It recorded in ${formatCount(activeNights)} of ${plural(knownNights, 'night')} before that, so a silence of this length is very unlikely.`
  const day = new Date(facts.nightStartMs).toLocaleDateString('en-GB', { weekday: 'long' })
  const nights = expectation.isSameWeekday
    ? `In the last ${plural(expectation.nights, `${day} night`)}`
    : `In the last ${plural(expectation.nights, 'night')} with recordings`
  const by = formatClock(new Date(facts.nowMs).toISOString())
  return expectation.maxUsual === 0
    ? `${nights}, it was rarely silent for so long.`
    : `${nights} it had ${formatRange(expectation)} by ${by}.`
}
