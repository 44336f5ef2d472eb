import { formatTimeOfDay } from '../../shared/words/format.ts'

/** Formats a typed 24-hour time in the user's format. Undefined if that changes nothing. */
export const timeHint = (time: string): string | undefined => {
  const formatted = formatTimeOfDay(time)
  return formatted === time ? undefined : formatted
}
