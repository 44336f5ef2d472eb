import type { z } from 'zod'

type Issue = z.core.$ZodIssue

export const asSentence = (message: string): string => {
  const trimmed = message.trim()
  const capital = trimmed.charAt(0).toUpperCase() + trimmed.slice(1)
  return /[.!?/]$/.test(capital) ? capital : `${capital}.`
}

/** The schema's own words where it has them; otherwise a sentence instead of a type error. */
export const issueSentence = (issue: Issue): string => {
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
