import type { z } from 'zod'

type Issue = z.core.$ZodIssue

export const asSentence = (message: string): string => {
  const trimmed = message.trim()
  const capital = trimmed.charAt(0).toUpperCase() + trimmed.slice(1)
  return /[.!?/]$/.test(capital) ? capital : `${capital}.`
}

/** The schema's own words where it has them; otherwise a sentence instead of a type error. */
const issueSentence = (issue: Issue): string => {
  switch (issue.code) {
    case 'invalid_type':
      return issue.expected === 'number' ? 'Type a number.' : 'This is needed.'
    case 'too_small':
      if (issue.origin === 'number')
        return issue.inclusive === false ? `Use more than ${issue.minimum}.` : `Use ${issue.minimum} or more.`
      return issue.origin === 'string' ? 'This is needed.' : 'Choose at least one.'
    case 'too_big':
      return issue.origin === 'string'
        ? `Use at most ${issue.maximum} characters.`
        : `Use ${issue.maximum} or less.`
    default:
      return asSentence(issue.message)
  }
}

/** Sentences by path ("windows.0.from"), the first one of each field. */
export const issuesByPath = (schema: z.ZodType, value: unknown): ReadonlyMap<string, string> => {
  const result = schema.safeParse(value)
  const found = new Map<string, string>()
  if (result.success) return found
  for (const issue of result.error.issues) {
    const path = issue.path.map(String).join('.')
    if (!found.has(path)) found.set(path, issueSentence(issue))
  }
  return found
}

/** The one sentence for a single value, or null where it is right. */
export const issueOf = (schema: z.ZodType, value: unknown): string | null =>
  issuesByPath(schema, value).values().next().value ?? null

/** What was typed as a number: nothing typed is no number, anything unreadable is NaN, which the schema refuses. */
export const typedNumber = (text: string): number | undefined => {
  const trimmed = text.trim().replace(',', '.')
  return trimmed === '' ? undefined : Number(trimmed)
}
