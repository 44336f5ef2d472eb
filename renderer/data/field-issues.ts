import type { z } from 'zod'
import { issueSentence } from '../../shared/words/issue-sentence.ts'

/** The first error of each field, by path ("windows.0.from"). */
export const issuesByPath = (schema: z.ZodType, value: unknown): ReadonlyMap<string, string> => {
  const result = schema.safeParse(value)
  const issues = new Map<string, string>()
  if (result.success) return issues
  for (const issue of result.error.issues) {
    const path = issue.path.map(String).join('.')
    if (!issues.has(path)) issues.set(path, issueSentence(issue))
  }
  return issues
}

/** The error of a single value, or null if it is valid. */
export const issueOf = (schema: z.ZodType, value: unknown): string | null =>
  issuesByPath(schema, value).values().next().value ?? null

/**
 * Parses a typed number. Undefined if the text is empty. NaN if it is invalid, so that the schema refuses it. "2,5" is
 * 2.5, but "1,000" is invalid: it is 1000 for some users and 1 for others. "1.125" stays valid, because forms show
 * stored numbers this way.
 */
export const parseTypedNumber = (text: string): number | undefined => {
  const trimmed = text.trim()
  if (trimmed === '') return undefined
  return /[1-9]\d*,\d{3}$/.test(trimmed) ? Number.NaN : Number(trimmed.replace(',', '.'))
}
