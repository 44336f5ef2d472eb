import type { Status } from '../status/status.ts'
import { stopWords } from './forecast-words.ts'
import { momentInSentence } from './format.ts'
import { PAUSED_WORDS } from './words.ts'

type Station = Pick<Status['station'], 'problem' | 'paused' | 'outsideWindowUntil' | 'uploadNow'>

/** Why nothing uploads, in the words of the headline. Null if the next upload starts by itself at any moment. */
export const waitWords = (
  { problem, paused, outsideWindowUntil, uploadNow }: Station,
  nowMs: number,
): string | null => {
  const reasons = [...(paused ? [PAUSED_WORDS] : []), ...(problem === null ? [] : [stopWords(problem)])]
  if (reasons.length > 0) return reasons.join(' · ')
  if (outsideWindowUntil === null || uploadNow?.station === true) return null
  return `Upload hours start ${momentInSentence(outsideWindowUntil, nowMs)}`
}
