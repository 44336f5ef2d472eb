import type { Problem } from '../../shared/status/problem.ts'
import { formatClock, momentInSentence } from '../../shared/words/format.ts'

const correctionWords: Partial<Record<Problem['code'], string>> = {
  'site-refused': 'the site is corrected',
  'device-refused': 'the device is corrected',
  'notes-refused': 'the notes are corrected',
  'part-size-refused': 'the part size is corrected',
  'name-refused': 'the file is renamed',
  'marker-missing': 'the marker file is written',
  'marker-outdated': 'the marker file is written again',
}

/** Completes the words "On hold until". Null if the problem clears by itself. */
export const endWords = ({ code, endsBy }: Problem): string | null => {
  const correction = correctionWords[code]
  if (correction !== undefined) return correction
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
    case 'folder':
      return 'the folder is watched again'
    case 'dismissed':
      return 'the file changes'
  }
}

export const heldSentence = (problem: Problem, heldSince: string, now: number): string => {
  const since = `On hold since ${momentInSentence(heldSince, now)}`
  const end = endWords(problem)
  return end === null ? `${since}.` : `${since}, until ${end}.`
}

export const nextCheckSentence = (nextAt: string, now: number): string => {
  const leftMs = Date.parse(nextAt) - now
  if (leftMs <= 0) return 'Sluice is checking again now.'
  // The clock shows no seconds, so a time within the next minute could look like the current time.
  if (leftMs < 60_000) return 'Sluice checks again in a moment.'
  const isToday = new Date(nextAt).toDateString() === new Date(now).toDateString()
  return `Sluice checks again ${isToday ? `at ${formatClock(nextAt)}` : momentInSentence(nextAt, now)}.`
}
