/**
 * "2026-03-01" from a date field is a day of this PC's calendar, not of UTC. Null while it is none: a year may have
 * six digits there.
 */
export const typedDay = (text: string, plusDays = 0): string | null => {
  const [year, month, day] = text.split('-').map(Number)
  if (year === undefined || month === undefined || day === undefined || year < 1970 || year > 9998)
    return null
  return new Date(year, month - 1, day + plusDays).toISOString()
}

/** What to say at the second of two date fields. */
export const dayOrderIssue = (from: string, to: string): string | null =>
  from !== '' && to !== '' && to < from ? 'Choose a date after the first one.' : null
