import { expect, test } from 'vitest'
import { type KnownPart, planResume } from '../../../../../main/agent/domain/resume-plan.ts'

const part = (number: number, change: Partial<KnownPart> = {}): KnownPart => ({
  number,
  hasUrl: true,
  hasEtag: true,
  resend: false,
  ...change,
})
const urlWorks = () => true
const urlExpired = () => false

test('sends no part that both the service and the journal have', () => {
  expect(planResume([part(1), part(2)], new Set(), urlExpired)).toEqual({
    kind: 'send',
    forgetEtags: [],
    send: [],
    guessEtags: [],
  })
})

test("the service's list of missing parts wins over the journal", () => {
  expect(planResume([part(1), part(2)], new Set([2]), urlWorks)).toEqual({
    kind: 'send',
    forgetEtags: [2],
    send: [2],
    guessEtags: [],
  })
})

test('if a crash lost an ETag, sends the part again, or guesses the ETag without a usable URL', () => {
  const withLostEtag = [part(1, { hasEtag: false })]
  expect(planResume(withLostEtag, new Set(), urlWorks)).toMatchObject({ send: [1], guessEtags: [] })
  expect(planResume(withLostEtag, new Set(), urlExpired)).toMatchObject({ send: [], guessEtags: [1] })
  expect(planResume([part(1, { hasEtag: false, hasUrl: false })], new Set(), urlWorks)).toMatchObject({
    guessEtags: [1],
  })
})

test('gives up the session if a stored part must be replaced but its URL has expired', () => {
  const withResend = [part(1), part(2, { resend: true, hasEtag: false })]
  expect(planResume(withResend, new Set(), urlWorks)).toMatchObject({ kind: 'send', send: [2] })
  expect(planResume(withResend, new Set(), urlExpired)).toEqual({ kind: 'give-up' })
})
