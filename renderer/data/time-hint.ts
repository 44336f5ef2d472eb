import { formatTimeOfDay } from '../../shared/words/format.ts'

/** A typed 24-hour time in the user's format; undefined if both look the same. */
export const timeHint = (time: string): string | undefined => {
  const written = formatTimeOfDay(time)
  return written === time ? undefined : written
}
