import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const LIMITS = path.join('main', 'agent', 'domain', 'retry-limits.ts')
const RETRY_WORDS = ['retry', 'retries', 'tries', 'attempt', 'attempts', 'backoff', 'refreshes']

/** Splits `MAX_TRIES` and `maxTries` into "max" and "tries". */
const wordsIn = (name: string): readonly string[] =>
  name
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split('_')

/** Returns why a line looks like a retry limit, or null. */
const findRetryLimit = (line: string): string | null => {
  const [, name = ''] = /^\s*(?:export )?const (\w+)(?:: number)? = \d/.exec(line) ?? []
  if (wordsIn(name).some((word) => RETRY_WORDS.includes(word))) return name
  if (/\b(?:attempts?|tries|retries)\b\s*[<>]=?\s*[1-9]/.test(line)) return 'a number compared with attempts'
  return /\bbackOffMs\([^)]*\b\d[\d_]{2,}/.test(line) ? 'a number as the longest backoff' : null
}

test('every retry limit of the agent is a constant in `retry-limits.ts`', () => {
  const files = globSync('main/agent/**/*.ts').filter((file) => file !== LIMITS)
  expect(files.length).toBeGreaterThan(100)
  const retryLimits = files.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, index) => {
        const limit = findRetryLimit(line)
        return limit === null ? [] : [`${file}:${index + 1}: ${limit}`]
      }),
  )
  expect(retryLimits).toEqual([])
})

test.each([
  'const MAX_TRIES = 480',
  'export const LIST_RETRY_MS = 15_000',
  'const maxAttempts = 5',
  'const RETRY_AFTER_MS: number = 3_600_000',
  '    if (recording.attempts >= 20) return',
  '    return backOffMs(attempt, random, 15_000)',
])('recognises a retry limit: %s', (line) => {
  expect(findRetryLimit(line)).not.toBeNull()
})

test.each([
  'const MAX_ENTRIES = 2_000',
  'const POLL_INTERVAL_MS = 1_000',
  '    if (recording.attempts > 0) return',
  '    return backOffMs(attempt, random, LONGEST_PROBE_DELAY_MS)',
])('accepts a line without a retry limit: %s', (line) => {
  expect(findRetryLimit(line)).toBeNull()
})
