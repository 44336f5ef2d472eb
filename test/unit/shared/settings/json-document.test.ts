import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseJson } from '../../../../shared/settings/json-document.ts'

const faultOf = (text: string) => {
  const result = parseJson(text)
  return result.ok ? null : `${result.position.line}:${result.position.column} ${result.cause}`
}

test.each([
  ['', '1:1 A value is missing, or there is one comma too many'],
  ['{"a": svc}', '1:7 Text needs quotation marks'],
  ['{\n  "a": 1,\n}', '3:1 A name is missing, or there is one comma too many'],
  ['{"a": "b}', '1:7 A quotation mark is missing'],
  ['["a\nb"]', '1:2 A quotation mark is missing'],
  ['{"a" 1}', '1:6 A colon is missing'],
  ['[1 2]', '1:4 A comma is missing'],
  ['{"a": 1', '1:8 A closing } is missing'],
  ['[1', '1:3 A closing ] is missing'],
  ['{"a": 1} x', '1:10 Text needs quotation marks'],
  ['{"a": 1}}', '1:9 There is text after the end of the settings'],
  ['{"a": 1.}', '1:7 This is not a number'],
  ['{} // why', '1:4 Comments are not allowed'],
  ['{"a": "C:\\Data"}', '1:7 Write each backslash twice'],
  ['{"a": "\t"}', '1:7 A control character must be escaped'],
])('%j is refused at %s', (text, fault) => expect(faultOf(text)).toBe(fault))

const anyDamagedJson = fc
  .tuple(fc.json(), fc.nat(), fc.nat(2), fc.string({ maxLength: 2 }))
  .map(([text, position, removedLength, inserted]) => {
    const start = position % (text.length + 1)
    return text.slice(0, start) + inserted + text.slice(start + removedLength)
  })

test('accepts the same texts as JSON.parse, and reads the same values', () => {
  fc.assert(
    fc.property(fc.oneof(fc.json(), anyDamagedJson), (text) => {
      const result = parseJson(text)
      let value: unknown
      try {
        value = JSON.parse(text)
      } catch {
        expect(result.ok).toBe(false)
        return
      }
      expect(result.ok && JSON.stringify(result.value)).toBe(JSON.stringify(value))
    }),
    { numRuns: 1_000 },
  )
})

test('refuses a text with too many nested brackets, without a stack overflow', () => {
  for (const open of ['[', '{"a":', '[{"a":'])
    expect(faultOf(open.repeat(100_000))).toMatch(/^1:\d+ Too many brackets are open$/)
  const brackets = JSON.stringify(['['.repeat(1_000), { a: '{' }])
  expect(faultOf(brackets)).toBeNull()
})

test('returns the place of a field, or of the object that should contain it', () => {
  const text = '{\n"a": "}]\\"",\n"b": [1,\n {"c": [ ]}],\n  "a": 2\n}'
  const result = parseJson(text)
  if (!result.ok) throw new Error('no JSON')
  expect(result.positionOf(['b', 1, 'c'])).toEqual({ line: 4, column: 3 })
  expect(result.positionOf(['b', 7])).toEqual({ line: 3, column: 1 })
  expect(result.positionOf(['b', 1, 'missing'])).toEqual({ line: 4, column: 2 })
  expect(result.positionOf([])).toEqual({ line: 1, column: 1 })
  // The last of several fields with the same name counts, as in JSON.parse.
  expect(result.positionOf(['a'])).toEqual({ line: 5, column: 3 })
})

test('finds duplicate names at any depth, but only within one object', () => {
  const findDuplicates = (text: string) => {
    const result = parseJson(text)
    return result.ok ? result.duplicates.map(({ path, position }) => [path.join('/'), position.line]) : null
  }
  expect(findDuplicates('{"a":1,"b":{"a":2},"c":[{"a":1},{"a":2}]}')).toEqual([])
  expect(findDuplicates('{"a":{"b":[0,{"c":1,\n"c":2}]},\n"\\u0061":3}')).toEqual([
    ['a/b/1/c', 2],
    ['a', 3],
  ])
  expect(findDuplicates('{"a":"\\"a\\":1","b":"{\\"x\\":1,\\"x\\":2}"}')).toEqual([])
})
