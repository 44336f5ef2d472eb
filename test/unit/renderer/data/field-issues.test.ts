import { expect, test } from 'vitest'
import { parseTypedNumber } from '../../../../renderer/data/field-issues.ts'

test.each([
  ['', undefined],
  [' 40 ', 40],
  ['2,5', 2.5],
  ['0,125', 0.125],
  ['0.125', 0.125],
])('a number field reads "%s" as %s', (text, number) => expect(parseTypedNumber(text)).toBe(number))

test.each(['1,000', '01,000', '+10,000', '1,000,000', '1.000,5', 'ten'])(
  'a number field refuses "%s", which could mean two numbers or none',
  (text) => expect(parseTypedNumber(text)).toBeNaN(),
)
