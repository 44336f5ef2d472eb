import { conditionCodeOf } from '../../shared/status/conditions.ts'
import type { Status } from '../../shared/status/status.ts'
import { fullHeadline, PAUSED_WORDS, stationWords } from '../../shared/words/words.ts'

type Station = Status['station']

/**
 * The text at the left: the state, or the headline if someone has to act, because the headline shows what is wrong. The
 * tooltip shows all facts.
 */
export const stateWords = (station: Station): { readonly word: string; readonly title: string } => ({
  word: station.state === 'attention' ? station.headline : stationWords[station.state].word,
  title: fullHeadline(station),
})

/**
 * The text at the right: a pause and the conditions that the left text does not show. If there are no conditions and no
 * pause to show, it says whether the service is reachable.
 */
export const serviceWords = (station: Station): string => {
  const { conditions, paused, state, serviceReachable: reachable } = station
  const { word } = stateWords(station)
  const conditionWords = conditions
    .flatMap(({ code }) => conditionCodeOf(code)?.shortWords ?? [])
    .filter((words) => !word.includes(words))
  // The left text shows only one state. If that state is not the pause, this text shows the pause.
  const facts = [...(paused && state !== 'paused' ? [PAUSED_WORDS] : []), ...conditionWords]
  if (facts.length > 0 || conditions.length > 0) return facts.join(', ')
  // A station that started paused has sent no request yet, so it is not connecting.
  if (reachable === null) return paused ? '' : 'Connecting…'
  return reachable ? 'Service reachable' : 'Service unreachable'
}
