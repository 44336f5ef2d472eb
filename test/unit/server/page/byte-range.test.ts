import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseRange } from '../../../../server/page/byte-range.ts'

test('reads the range of a request, ignores an invalid one, and refuses one outside the file', () => {
  expect(parseRange(undefined, 100)).toBe('whole')
  expect(parseRange('bytes=0-', 100)).toEqual({ start: 0, end: 100 })
  expect(parseRange('bytes=10-19', 100)).toEqual({ start: 10, end: 20 })
  expect(parseRange('bytes=90-500', 100)).toEqual({ start: 90, end: 100 })
  expect(parseRange('bytes=-5', 100)).toEqual({ start: 95, end: 100 })
  expect(parseRange('bytes=-500', 100)).toEqual({ start: 0, end: 100 })
  for (const header of ['bytes=100-', 'bytes=-0', 'bytes=200-300'])
    expect(parseRange(header, 100), header).toBe('unsatisfiable')
  for (const header of [
    'bytes=',
    'bytes=-',
    'bytes=5-4',
    'bytes=0-1,5-6',
    'lines=0-1',
    'bytes=a-b',
    'bytes=1e3-',
  ])
    expect(parseRange(header, 100), header).toBe('whole')
  expect(parseRange('bytes=0-', 0)).toBe('unsatisfiable')
})

test('a range is never empty and never leaves the file', () => {
  const number = fc.oneof(
    fc.constant(''),
    fc.nat().map(String),
    fc.bigInt({ min: 0n, max: 10n ** 17n }).map(String),
  )
  fc.assert(
    fc.property(number, number, fc.nat(), (from, to, size) => {
      const range = parseRange(`bytes=${from}-${to}`, size)
      if (typeof range === 'string') return
      expect(range.start).toBeGreaterThanOrEqual(0)
      expect(range.end).toBeGreaterThan(range.start)
      expect(range.end).toBeLessThanOrEqual(size)
    }),
  )
})
