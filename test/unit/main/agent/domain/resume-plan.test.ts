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

test('what the service has and the journal knows is left alone', () => {
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

test('an ETag that a crash swallowed: sent again while the URL lives, guessed after', () => {
  const lost = [part(1, { hasEtag: false })]
  expect(planResume(lost, new Set(), works)).toMatchObject({ send: [1], guessEtags: [] })
  expect(planResume(lost, new Set(), expired)).toMatchObject({ send: [], guessEtags: [1] })
  expect(planResume([part(1, { hasEtag: false, hasUrl: false })], new Set(), works)).toMatchObject({
    guessEtags: [1],
  })
})

test('a part that must travel again and cannot ends the session', () => {
  const again = [part(1), part(2, { resend: true, hasEtag: false })]
  expect(planResume(again, new Set(), works)).toMatchObject({ kind: 'send', send: [2] })
  expect(planResume(again, new Set(), expired)).toEqual({ kind: 'abandon' })
})
