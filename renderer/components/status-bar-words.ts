import { conditionCodeOf } from '../../shared/status/conditions.ts'
import type { Status } from '../../shared/status/status.ts'
import { fullHeadline, PAUSED_WORDS, stationWords } from '../../shared/words/words.ts'

type Station = Status['station']

/** At the left: the state. If someone has to act, the headline, because it names who. The tooltip shows all facts. */
export const stateWords = (station: Station): { readonly word: string; readonly title: string } => ({
  word: station.state === 'attention' ? station.headline : stationWords[station.state].word,
  title: fullHeadline(station),
})

/** At the right: a pause beside a problem, the conditions that the left does not show, or whether the service is reachable. */
export const serviceWords = (station: Station): string => {
  const { conditions, paused, state, serviceReachable: reachable } = station
  const { word } = stateWords(station)
  const wrong = conditions
    .flatMap(({ code }) => conditionCodeOf(code)?.shortWords ?? [])
    .filter((words) => !word.includes(words))
  // The mark at the left shows one state. A problem hides the pause there.
  const facts = [...(paused && state !== 'paused' ? [PAUSED_WORDS] : []), ...wrong]
  if (facts.length > 0 || conditions.length > 0) return facts.join(', ')
  // A paused station has sent no request yet. That is no fault.
  if (reachable === null) return paused ? '' : 'Connecting…'
  return reachable ? 'Service reachable' : 'Service unreachable'
}
