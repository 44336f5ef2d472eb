import type { z } from 'zod'
import { capitalise } from './format.ts'

type Issue = z.core.$ZodIssue

export const asSentence = (message: string): string => {
  const sentence = capitalise(message.trim())
  return /[.!?/]$/.test(sentence) ? sentence : `${sentence}.`
}

const list = (values: readonly unknown[]): string => values.map(String).join(', ')

/** zod reports a missing value only in its message. */
const isMissing = (issue: Issue): boolean => issue.message.endsWith('received undefined')

const typeSentence = (expected: string): string => {
  switch (expected) {
    case 'string':
      return 'Write text, in quotes.'
    case 'number':
      return 'Type a number, such as 1000.'
    case 'int':
      return 'Type a whole number.'
    case 'boolean':
      return 'Write true or false.'
    case 'array':
      return 'Write a list: […].'
    case 'object':
      return 'Write an object: {…}.'
    default:
      return 'This value cannot be used here.'
  }
}

/** The error of a field, for the window and the terminal. Replaces zod's own sentences for the usual issue codes. */
export const issueSentence = (issue: Issue): string => {
  switch (issue.code) {
    case 'invalid_type':
      if (isMissing(issue) && issue.expected !== 'number') return 'This is required.'
      return typeSentence(issue.expected)
    case 'too_small':
      if (issue.origin === 'number' || issue.origin === 'int')
        return issue.inclusive === false ? `Use more than ${issue.minimum}.` : `Use ${issue.minimum} or more.`
      if (issue.origin !== 'string') return 'Choose at least one.'
      return Number(issue.minimum) > 1 ? `Use at least ${issue.minimum} characters.` : 'This is required.'
    case 'too_big':
      if (issue.origin === 'string') return `Use at most ${issue.maximum} characters.`
      return issue.origin === 'array' ? `Use at most ${issue.maximum}.` : `Use ${issue.maximum} or less.`
    case 'unrecognized_keys':
      return issue.keys.length === 1
        ? `Unknown setting “${issue.keys[0]}”.`
        : `Unknown settings ${issue.keys.map((key) => `“${key}”`).join(', ')}.`
    case 'invalid_value':
      return `Use ${issue.values.length === 1 ? '' : 'one of '}${list(issue.values)}.`
    case 'invalid_union':
      return issue.message === 'Invalid input' ? 'This value cannot be used here.' : asSentence(issue.message)
    default:
      return asSentence(issue.message)
  }
}
