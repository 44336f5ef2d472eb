/**
 * Parses "2026-03-01" of a date field as a local day, not UTC. Null if invalid: a date field allows years with six
 * digits.
 */
export const typedDay = (text: string, plusDays = 0): string | null => {
  const [year, month, day] = text.split('-').map(Number)
  if (year === undefined || month === undefined || day === undefined || year < 1970 || year > 9998)
    return null
  return new Date(year, month - 1, day + plusDays).toISOString()
}

/** The error of the second of two date fields. */
export const dayOrderIssue = (from: string, to: string): string | null =>
  from !== '' && to !== '' && to < from ? 'Choose a date after the first one.' : null
