import { expect, test } from 'vitest'
import { type KnownPart, planResume } from '../../../../../main/agent/domain/resume-plan.ts'

const part = (number: number, change: Partial<KnownPart> = {}): KnownPart => ({
  number,
  hasUrl: true,
  hasEtag: true,
  resend: false,
  ...change,
})
const works = () => true
const expired = () => false

test('sends no part that both the service and the journal have', () => {
  expect(planResume([part(1), part(2)], new Set(), expired)).toEqual({
    kind: 'send',
    forgetEtags: [],
    send: [],
    guessEtags: [],
  })
})

test("the service's list of missing parts wins over the journal", () => {
  expect(planResume([part(1), part(2)], new Set([2]), works)).toEqual({
    kind: 'send',
    forgetEtags: [2],
    send: [2],
    guessEtags: [],
  })
})

test('after a crash lost an ETag, sends the part again, or guesses the ETag if the URL has expired', () => {
  const lost = [part(1, { hasEtag: false })]
  expect(planResume(lost, new Set(), works)).toMatchObject({ send: [1], guessEtags: [] })
  expect(planResume(lost, new Set(), expired)).toMatchObject({ send: [], guessEtags: [1] })
  expect(planResume([part(1, { hasEtag: false, hasUrl: false })], new Set(), works)).toMatchObject({
    guessEtags: [1],
  })
})

test('ends the session if a part must be sent again but its URL has expired', () => {
  const again = [part(1), part(2, { resend: true, hasEtag: false })]
  expect(planResume(again, new Set(), works)).toMatchObject({ kind: 'send', send: [2] })
  expect(planResume(again, new Set(), expired)).toEqual({ kind: 'abandon' })
})
