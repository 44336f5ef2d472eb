import type { z } from 'zod'
import { issueSentence } from '../../shared/issue-sentence.ts'

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
