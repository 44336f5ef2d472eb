import type { Status } from '../status/status.ts'
import { stopWords } from './forecast-words.ts'
import { momentInSentence } from './format.ts'

type Station = Pick<Status['station'], 'problem' | 'paused' | 'outsideWindowUntil' | 'uploadNow'>

/** Why nothing uploads, in the words of the headline. Null if uploads may start now. */
export const waitWords = (station: Station, nowMs: number): string | null => {
  const { outsideWindowUntil, uploadNow } = station
  const stop = stopWords(station)
  if (stop !== null) return stop
  if (outsideWindowUntil === null || uploadNow?.station === true) return null
  return `Upload hours start ${momentInSentence(outsideWindowUntil, nowMs)}`
}
