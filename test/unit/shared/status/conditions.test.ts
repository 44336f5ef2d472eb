import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { decide } from '../../../../main/agent/domain/retry-policy.ts'
import { policyRows } from '../../../../scripts/docs/failure-examples.ts'
import {
  type ConditionName,
  conditionNames,
  conditionOf,
  conditionProblemCodes,
  conditionWithCode,
} from '../../../../shared/status/conditions.ts'
import { problemCodes } from '../../../../shared/status/problem.ts'

const hasCode = (name: string, code: string): boolean =>
  conditionNames.includes(name as ConditionName) && code in conditionOf(name as ConditionName).codes

test.each(conditionNames)('the condition %s has codes, and words for its end in the activity', (name) => {
  const { codes, endWords } = conditionOf(name)
  expect(Object.keys(codes)).not.toEqual([])
  expect(endWords).toMatch(/^[A-Z].*[^.]$/)
})

test.each(conditionNames.filter((name) => conditionOf(name).stops.length > 0))(
  'every code of the condition %s has short words for the status bar',
  (name) => {
    for (const [code, { shortWords }] of Object.entries(conditionOf(name).codes))
      expect(shortWords, code).toMatch(/^[A-Z].*[^.]$/)
  },
)

test.each(conditionProblemCodes)('the condition code %s has texts and is a problem code', (code) => {
  const name = conditionWithCode(code)
  if (name === null) throw new Error('no condition')
  const { sentence, next } = conditionOf(name).codes[code] ?? { sentence: '', next: '' }
  for (const text of [sentence, next]) expect(text).toMatch(/^[A-Z].*[.?]$/)
  expect(problemCodes).toContain(code)
})

test('`conditions` contains every code that the retry policy can return', () => {
  const decisions = policyRows.flatMap(({ failure, streak = 1 }) =>
    [streak, 3, 6].map((streakLength) =>
      decide(failure, { attempt: 1, streak: streakLength, isSessionLost: false }, () => 0),
    ),
  )
  const raised = decisions.flatMap((decision) => (decision.kind === 'condition' ? [decision] : []))
  expect(raised.length).toBeGreaterThan(0)
  for (const { condition, code } of raised)
    expect(hasCode(condition, code), `${condition} ${code}`).toBe(true)
})

test('`conditions` contains every code that the agent raises by name', () => {
  const raised = globSync('main/agent/**/*.ts').flatMap((file) => [
    ...readFileSync(file, 'utf8').matchAll(/\.raise\('([\w-]+)', '([\w-]+)'/g),
  ])
  expect(raised.length).toBeGreaterThan(0)
  for (const [call, name = '', code = ''] of raised) expect(hasCode(name, code), call).toBe(true)
})
