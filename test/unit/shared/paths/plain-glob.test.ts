import fc from 'fast-check'
import picomatch from 'picomatch'
import { expect, test } from 'vitest'
import { hasManyStars, isPlainGlob, plainMatcher } from '../../../../shared/paths/plain-glob.ts'

const asIs = (text: string) => text

test('a pattern is plain if its only wildcards are *, ? and separate ** segments', () => {
  for (const glob of ['**/*', 'take_*.mcap', '**/hall?/*_*_*.bin', 'sub/**', '**/a/**', 'a+b@c$d.bin'])
    expect(isPlainGlob(glob), glob).toBe(true)
  for (const glob of [
    '{a,b}*',
    '*(a|b)',
    '[ab]*',
    '!a',
    'a\\*',
    '"a"',
    'a|b',
    '**/**/a',
    'a**',
    '***',
    'a//b',
    './a',
    '',
  ])
    expect(isPlainGlob(glob), glob).toBe(false)
})

const pathOf = (segment: fc.Arbitrary<string>) =>
  fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join('/'))
const textOf = (...chars: readonly string[]) =>
  fc.string({ unit: fc.constantFrom(...chars), minLength: 1, maxLength: 5 })

test('plain patterns with many stars match the same names as in picomatch', () => {
  const globs = pathOf(fc.oneof(textOf('a', 'b', '.', '*', '?', '-'), fc.constant('**'))).filter(
    (glob) => isPlainGlob(glob) && hasManyStars(glob),
  )
  const names = pathOf(textOf('a', 'b', '.', '-').filter((name) => !/^\.{1,2}$/.test(name)))
  fc.assert(
    fc.property(globs, fc.array(names, { minLength: 5, maxLength: 5 }), (glob, list) => {
      const pattern = picomatch.makeRe(glob, { dot: true, windows: false, flags: 's' })
      const matches = plainMatcher(glob, asIs)
      for (const name of list) expect([name, matches(name)]).toEqual([name, pattern.test(name)])
    }),
    { numRuns: 500 },
  )
})

/** A regular expression would search for hours if such a pattern does not match. */
test('a pattern with a hundred wildcards is matched at once', () => {
  const name = 'a'.repeat(250)
  expect(plainMatcher(`**/${'*a'.repeat(100)}b`, asIs)(name)).toBe(false)
  expect(plainMatcher(`**/${'*a'.repeat(100)}`, asIs)(name)).toBe(true)
  const path = Array.from({ length: 200 }, () => 'a').join('/')
  expect(plainMatcher(`${'**/a/'.repeat(50)}b`, asIs)(path)).toBe(false)
  expect(plainMatcher(`${'**/a/'.repeat(50)}a`, asIs)(path)).toBe(true)
})
