import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cutText, escapeText, showLine } from '../../../../shared/words/escape-text.ts'

describe('the escaping of a text', () => {
  it.each([
    ['a line break', 'a\nb', 'a\\u000ab'],
    ['an escape sequence', '\u001b[2Jx', '\\u001b[2Jx'],
    ['the delete character', 'a\u007f', 'a\\u007f'],
    ['a C1 sequence', '\u009b31m', '\\u009b31m'],
    ['a name with reversed text', 'a\u202egpj.exe', 'a\\u202egpj.exe'],
    ['direction isolates', '\u2066a\u2069', '\\u2066a\\u2069'],
    ['direction marks', '\u200e\u200f\u061c', '\\u200e\\u200f\\u061c'],
    ['zero-width characters', 'a\u200bb\u2060c\ufeffd', 'a\\u200bb\\u2060c\\ufeffd'],
    ['other line ends', 'a\u2028b\u2029c', 'a\\u2028b\\u2029c'],
    ['an incomplete character', 'a\ud83d', 'a\\ud83d'],
    ['a tag character', '\u{e0041}', '\\udb40\\udc41'],
  ])('escapes %s', (_, text, escaped) => expect(escapeText(text)).toBe(escaped))

  it('leaves ordinary text unchanged', () => {
    const text = 'D:\\Aufnahmen\\Tür 3/測定 №7 – 😀 e\u0301.wav'
    expect(escapeText(text)).toBe(text)
  })

  it('turns JSON into one line with the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string({ unit: 'binary' }), (value, text) => {
        const line = escapeText(JSON.stringify({ value, text }))
        expect(JSON.parse(line)).toEqual(JSON.parse(JSON.stringify({ value, text })))
        expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
      }),
      { numRuns: 50 },
    )
  })
})

describe('a shortened text', () => {
  it('never ends with an incomplete character', () => {
    expect(cutText('ab😀', 3)).toBe('ab…')
    expect(cutText('ab😀', 4)).toBe('ab😀')
  })
  it('has at most 4,097 characters if it is shown as a line', () =>
    expect(showLine('x'.repeat(1e6)).length).toBe(4097))
})
