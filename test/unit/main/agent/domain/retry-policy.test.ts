import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Failure } from '../../../../../main/agent/domain/failure.ts'
import { problemOf } from '../../../../../main/agent/domain/problems.ts'
import { backOffMs, type Decision, decide } from '../../../../../main/agent/domain/retry-policy.ts'
import { policyRows } from '../../../../../scripts/docs/failure-examples.ts'

const DAY_MS = 24 * 3_600_000
const anyRandom = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
const anyCount = fc.integer({ min: 1, max: 100_000 })
const anyRow = fc.constantFrom(...policyRows)

const decideFirst = (failure: Failure, streak = 1): Decision =>
  decide(failure, { attempt: 1, streak, isSessionLost: false }, () => 0)

test('the decision after any failure, at any attempt, delays the next retry by at most a day', () => {
  fc.assert(
    fc.property(anyRow, anyCount, anyCount, anyRandom, ({ failure }, attempt, streak, random) => {
      const decision = decide(failure, { attempt, streak, isSessionLost: attempt >= 3 }, () => random)
      const waits =
        decision.kind === 'wait'
          ? [decision.afterMs]
          : decision.kind === 'condition'
            ? [decision.afterMs ?? 0, decision.waitMs]
            : []
      for (const ms of waits) {
        expect(ms).toBeGreaterThanOrEqual(0)
        expect(ms).toBeLessThanOrEqual(DAY_MS + 250)
      }
    }),
  )
})

test('only a recording that deviates waits for a user’s decision', () => {
  fc.assert(
    fc.property(anyRow, anyCount, anyCount, ({ failure }, attempt, streak) => {
      const decision = decide(failure, { attempt, streak, isSessionLost: attempt >= 3 }, () => 0)
      if (decision.kind === 'wait')
        expect(decision.endsBy === 'person').toBe(failure.kind === 'take-deviates')
    }),
  )
})

test('a failure that can clear by itself needs no attention in the first minutes', () => {
  const transientKinds: readonly Failure['kind'][] = [
    'network',
    'timeout',
    'service',
    'conflict',
    'foreign-answer',
    'rate-limited',
    'file-busy',
    'unreadable-answer',
    'part-corrupt',
    'etag-missing',
  ]
  for (const { failure } of policyRows.filter(({ failure }) => transientKinds.includes(failure.kind)))
    for (const attempt of [1, 2, 3, 4, 5])
      for (const streak of [1, 10]) {
        const decision = decide(failure, { attempt, streak, isSessionLost: attempt >= 3 }, () => 1)
        if (decision.kind === 'wait') expect(decision.endsBy, failure.kind).toBe('time')
        else if (decision.kind === 'condition') expect(problemOf(decision.code).endsBy).toBe('time')
      }
})

test('the backoff grows with the attempts, up to five minutes, with jitter', () => {
  fc.assert(
    fc.property(anyCount, anyRandom, (attempt, random) => {
      const wait = backOffMs(attempt, () => random)
      expect(wait).toBeGreaterThanOrEqual(500)
      expect(wait).toBeLessThanOrEqual(300_000)
      expect(backOffMs(attempt + 1, () => random)).toBeGreaterThanOrEqual(wait)
    }),
  )
  expect(backOffMs(3, () => 0)).toBeLessThan(backOffMs(3, () => 0.99))
})

test('one dropped connection delays only its part; a refused connection or several dropped ones stop uploads to the storage', () => {
  const dropped = { kind: 'network', origin: 'storage', connected: true, detail: '' } as const
  expect(decideFirst(dropped)).toMatchObject({ kind: 'wait' })
  expect(decideFirst(dropped, 3)).toMatchObject({ kind: 'condition', condition: 'storage' })
  expect(decideFirst({ ...dropped, connected: false })).toMatchObject({
    kind: 'condition',
    condition: 'storage',
  })
})

test('never retries earlier than Retry-After, even if it is a day', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: DAY_MS }), anyCount, anyRandom, (retryAfterMs, attempt, random) => {
      for (const origin of ['control', 'storage'] as const) {
        const failure = {
          kind: 'rate-limited',
          origin,
          retryAfterMs,
          message: '',
          requestId: null,
        } as const
        const decision = decide(failure, { attempt, streak: 1, isSessionLost: false }, () => random)
        expect('afterMs' in decision ? decision.afterMs : null).toBeGreaterThanOrEqual(retryAfterMs)
      }
    }),
  )
})

test('if the service requests a long wait, shows the reason from the first failure on', () => {
  const busy = { kind: 'service', origin: 'control', status: 503, message: '', requestId: null } as const
  expect(decideFirst({ ...busy, retryAfterMs: 600_000 })).toMatchObject({ kind: 'wait', quiet: false })
  expect(decideFirst({ ...busy, retryAfterMs: 3_000 })).toMatchObject({ kind: 'wait', quiet: true })
})

test('a refused key stops the station at the first attempt', () => {
  const auth = { kind: 'auth', message: '', requestId: null } as const
  expect(decideFirst({ ...auth, reason: 'refused' })).toMatchObject({ condition: 'key', code: 'key-refused' })
  expect(decideFirst({ ...auth, reason: 'not-permitted' })).toMatchObject({
    condition: 'key',
    code: 'key-read-only',
  })
})

test.each([
  ['site', 'site-refused', 'settings'],
  ['device', 'device-refused', 'settings'],
  ['notes', 'notes-refused', 'settings'],
  ['part_size', 'part-size-refused', 'settings'],
  ['filename', 'name-refused', 'file'],
  ['bytes', 'size-refused', 'file'],
  ['sha256', 'checksum-refused', 'answer'],
  ['colour', 'upload-refused', 'answer'],
])('a refused %s has the problem code %s', (param, code, endsBy) => {
  const decision = decideFirst({
    kind: 'rejected',
    origin: 'control',
    status: 400,
    code: 'parameter_invalid',
    message: '',
    param,
    requestId: null,
  })
  expect(decision).toMatchObject({ kind: 'wait', code, endsBy, quiet: false })
})
