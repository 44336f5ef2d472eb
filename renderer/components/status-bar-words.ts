import { conditionCodeOf } from '../../shared/status/conditions.ts'
import type { Status } from '../../shared/status/status.ts'
import { fullHeadline, PAUSED_WORDS, stationWords } from '../../shared/words/words.ts'

type Station = Status['station']

/** The text at the left: the state, or the headline if someone has to act. The tooltip shows all facts. */
export const stateWords = (station: Station): { readonly word: string; readonly title: string } => ({
  word: station.state === 'attention' ? station.headline : stationWords[station.state].word,
  title: fullHeadline(station),
})

/**
 * The text at the right: the pause and the conditions that the left text does not show. If there are none, says whether
 * the service is reachable.
 */
export const serviceWords = (station: Station): string => {
  const { conditions, paused, state, serviceReachable: reachable } = station
  const { word } = stateWords(station)
  const conditionWords = conditions
    .flatMap(({ code }) => conditionCodeOf(code)?.shortWords ?? [])
    .filter((words) => !word.includes(words))
  // The left text shows only one state, which may hide the pause.
  const facts = [...(paused && state !== 'paused' ? [PAUSED_WORDS] : []), ...conditionWords]
  if (facts.length > 0 || conditions.length > 0) return facts.join(', ')
  if (reachable === null) return paused ? '' : 'Connecting…'
  return reachable ? 'Service reachable' : 'Service unreachable'
}
