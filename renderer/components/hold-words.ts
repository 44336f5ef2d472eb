import { formatClock, momentInSentence } from '../../shared/format.ts'
import type { Problem } from '../../shared/status.ts'

const correctedWords: Partial<Record<Problem['code'], string>> = {
  'site-refused': 'the site is corrected',
  'device-refused': 'the device is corrected',
  'notes-refused': 'the notes are corrected',
  'part-size-refused': 'the part size is corrected',
  'name-refused': 'the file is renamed',
}

/** What ends it, if not time alone; that Sluice then goes on by itself is said with the problem. */
export const endWords = ({ code, endsBy }: Problem): string | null => {
  const corrected = correctedWords[code]
  if (corrected !== undefined) return corrected
  switch (endsBy) {
    case 'time':
      return null
    case 'settings':
      return 'the settings are corrected'
    case 'key':
      return 'a key that can upload is added'
    case 'file':
      return 'the file is fixed'
    case 'answer':
      return 'support resolves it'
    case 'person':
      return 'you decide'
  }
}

/** Since when, and until what: nobody has to tell Sluice that it has happened. */
export const heldSentence = (problem: Problem, heldSince: string, now: number): string => {
  const since = `On hold since ${momentInSentence(heldSince, now)}`
  const end = endWords(problem)
  return end === null ? `${since}.` : `${since}, until ${end}.`
}

/** When it is looked at next. A time that has passed is told as such: the agent is at it. */
export const nextLookSentence = (nextAt: string, now: number): string => {
  const leftMs = Date.parse(nextAt) - now
  if (leftMs <= 0) return 'Sluice is checking again now.'
  // A clock without seconds would say what it is already.
  if (leftMs < 60_000) return 'Sluice checks again in a moment.'
  const isToday = new Date(nextAt).toDateString() === new Date(now).toDateString()
  return `Sluice checks again ${isToday ? `at ${formatClock(nextAt)}` : momentInSentence(nextAt, now)}.`
}
