/**
 * Parses the text of a date field ("2026-03-01") as the start of a local day, not UTC. Null if the text is incomplete,
 * or if the year is not from 1970 to 9998: a date field accepts years of up to six digits.
 */
export const parseTypedDay = (text: string, plusDays = 0): string | null => {
  const [year, month, day] = text.split('-').map(Number)
  if (year === undefined || month === undefined || day === undefined || year < 1970 || year > 9998)
    return null
  return new Date(year, month - 1, day + plusDays).toISOString()
}

/** The error message for the second of two date fields. */
export const dayOrderIssue = (from: string, to: string): string | null =>
  from !== '' && to !== '' && to < from ? 'Choose the first date or a later one.' : null
