import { formatTimeOfDay } from '../../shared/format.ts'

/** What is typed goes to 24 hours, as in the settings file; whoever counts to 12 reads it that way beside. */
export const otherClock = (time: string): string | undefined => {
  const written = formatTimeOfDay(time)
  return written === time ? undefined : written
}
