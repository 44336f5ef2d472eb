import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Failure } from '../../main/agent/domain/failure.ts'
import { backOffMs, decide } from '../../main/agent/domain/retry-policy.ts'

const requestId = fc.constantFrom('req_1', null)
const retryAfterMs = fc.option(fc.integer({ min: 0, max: 10 * 3_600_000 }), { nil: null })
const detail = fc.string()
const code = fc.string()
const message = fc.string()

const anyFailure: fc.Arbitrary<Failure> = fc.oneof(
  fc.record({
    kind: fc.constantFrom('network' as const, 'timeout' as const, 'certificate' as const),
    detail,
  }),
  fc.record({ kind: fc.constantFrom('file-changed' as const, 'file-unreadable' as const), detail }),
  fc.record({
    kind: fc.constantFrom(
      'proxy-sign-in' as const,
      'url-expired' as const,
      'part-corrupt' as const,
      'etag-missing' as const,
      'file-vanished' as const,
      'cancelled' as const,
    ),
  }),
  fc.record({
    kind: fc.constant('auth' as const),
    reason: fc.constantFrom('refused' as const, 'not-permitted' as const),
    requestId,
  }),
  fc.record({ kind: fc.constant('rate-limited' as const), retryAfterMs, requestId }),
  fc.record({
    kind: fc.constant('service' as const),
    status: fc.integer({ min: 500, max: 599 }),
    retryAfterMs,
    requestId,
  }),
  fc.record({ kind: fc.constantFrom('not-found' as const, 'other-organisation' as const), requestId }),
  fc.record({ kind: fc.constant('conflict' as const), code, message, requestId }),
  fc.record({
    kind: fc.constant('rejected' as const),
    status: fc.integer({ min: 400, max: 499 }),
    code,
    message,
    param: fc.constantFrom('filename', 'site', null),
    requestId,
  }),
  fc.record({ kind: fc.constant('unreadable-answer' as const), detail, requestId }),
)

const anyRandom = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
const anyAttempt = fc.integer({ min: 1, max: 100_000 })

test('every failure at every attempt has an answer, and no wait is negative or longer than an hour and a bit', () => {
  fc.assert(
    fc.property(anyFailure, anyAttempt, anyRandom, (failure, attempt, random) => {
      const decision = decide(failure, attempt, () => random)
      if (decision.kind === 'retry') {
        expect(decision.afterMs).toBeGreaterThanOrEqual(0)
        expect(decision.afterMs).toBeLessThanOrEqual(3_600_250)
      }
    }),
  )
})

test('the wait grows with the attempts, up to five minutes, and is spread by the random number', () => {
  fc.assert(
    fc.property(anyAttempt, anyRandom, (attempt, random) => {
      const wait = backOffMs(attempt, () => random)
      expect(wait).toBeGreaterThanOrEqual(500)
      expect(wait).toBeLessThanOrEqual(300_000)
      expect(backOffMs(attempt + 1, () => random)).toBeGreaterThanOrEqual(wait)
    }),
  )
  expect(backOffMs(3, () => 0)).toBeLessThan(backOffMs(3, () => 0.99))
})

test('the network never blocks a recording: however often it fails, it is tried again', () => {
  fc.assert(
    fc.property(
      anyAttempt,
      anyRandom,
      fc.constantFrom('network' as const, 'timeout' as const),
      (attempt, random, kind) => {
        expect(decide({ kind, detail: '' }, attempt, () => random)).toMatchObject({
          kind: 'retry',
          scope: 'station',
        })
      },
    ),
  )
})

test('Retry-After is honoured', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 3_600_000 }), anyAttempt, anyRandom, (wanted, attempt, random) => {
      const decision = decide(
        { kind: 'rate-limited', retryAfterMs: wanted, requestId: null },
        attempt,
        () => random,
      )
      expect(decision).toMatchObject({ kind: 'retry' })
      if (decision.kind === 'retry') expect(decision.afterMs).toBeGreaterThanOrEqual(wanted)
    }),
  )
})

test('a key that is refused is the station’s affair, at the first attempt', () => {
  expect(decide({ kind: 'auth', reason: 'refused', requestId: null }, 1, Math.random)).toEqual({
    kind: 'stop-station',
    code: 'key-refused',
  })
  expect(decide({ kind: 'auth', reason: 'not-permitted', requestId: null }, 1, Math.random)).toEqual({
    kind: 'stop-station',
    code: 'key-read-only',
  })
})
