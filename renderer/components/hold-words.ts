import { formatClock, momentInSentence } from '../../shared/format.ts'
import type { Problem } from '../../shared/status.ts'

const correctedWords: Partial<Record<Problem['code'], string>> = {
  'site-refused': 'the site is corrected in the settings',
  'device-refused': 'the device is corrected in the settings',
  'notes-refused': 'the notes are corrected in the settings',
  'part-size-refused': 'the part size is corrected in the settings',
  'name-refused': 'the file is renamed',
}

/** What has to happen for it to go on, without anybody telling Sluice that it has. */
export const endingSentence = ({ code, endsBy }: Problem): string => {
  const corrected = correctedWords[code]
  if (corrected !== undefined) return `Goes on by itself when ${corrected}.`
  switch (endsBy) {
    case 'time':
      return 'Goes on by itself; nobody has to do anything.'
    case 'settings':
      return 'Goes on by itself when the settings are corrected.'
    case 'key':
      return 'Goes on by itself when a key that may upload is stored.'
    case 'file':
      return 'Goes on by itself when the file is put right.'
    case 'answer':
      return 'Goes on by itself when the service answers otherwise; its people can see to that.'
    case 'person':
      return 'Waits for your decision.'
  }
}

/** When it is looked at next. A time that has passed is told as such: the agent is at it. */
export const nextLookSentence = (nextAt: string, now: number): string => {
  if (Date.parse(nextAt) <= now) return 'Sluice looks again now.'
  const isToday = new Date(nextAt).toDateString() === new Date(now).toDateString()
  return `Sluice looks again ${isToday ? `at ${formatClock(nextAt)}` : momentInSentence(nextAt, now)}.`
}

/** Everything that somebody else needs to help, in the order in which they ask. */
export const quotable = ({ sentence, code, param, requestId }: Problem): string =>
  [
    sentence,
    `code: ${code}`,
    ...(param === null ? [] : [`param: ${param}`]),
    ...(requestId === null ? [] : [`request id: ${requestId}`]),
  ].join('\n')
