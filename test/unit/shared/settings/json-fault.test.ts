import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonFault } from '../../../../shared/settings/json-fault.ts'

test.each([
  ['', 1, 1],
  ['{"a": svc}', 1, 7],
  ['{\n  "a": 1,\n}', 3, 1],
  ['{"a": "b}', 1, 7],
  ['{"a" 1}', 1, 6],
  ['[1 2]', 1, 4],
  ['{"a": 1} x', 1, 10],
  ['["a\nb"]', 1, 2],
])('%j stops being JSON at %i:%i', (text, line, column) => expect(jsonFault(text)).toEqual({ line, column }))

test('a valid text has no fault before its end, and a cut one none before the cut', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.nat(), (value, at) => {
      const text = JSON.stringify([value, 'end'])
      expect(jsonFault(text).column).toBe(text.length + 1)
      expect(jsonFault(text.slice(0, at % text.length)).column).toBeLessThanOrEqual((at % text.length) + 1)
    }),
  )
})

test('finds the place in deeply nested texts and in strings of megabytes', () => {
  for (const [open, close] of [
    ['[', ']'],
    ['{"a":', '}'],
  ] as const) {
    const deep = open.repeat(100_000)
    expect(jsonFault(deep).column).toBe(deep.length + 1)
    expect(jsonFault(`${deep}1${close.repeat(99_999)}x`).column).toBe(deep.length + 100_001)
  }
  const long = `["${'😀'.repeat(10_000_000)}", x]`
  expect(jsonFault(long).column).toBe(long.length - 1)
})
