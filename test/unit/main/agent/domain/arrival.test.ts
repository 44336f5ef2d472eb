import { expect, test } from 'vitest'
import { arrivedSince } from '../../../../../main/agent/domain/arrival.ts'

const sinceMs = Date.parse('2026-03-12T07:42:01.300Z')
const at = (text: string) => String(BigInt(Date.parse(text)) * 1_000_000n)
const old = at('2020-01-01T00:00:00.123Z')
/** An empty time as Windows returns it. */
const year1601 = '-11644473600000000000'

test.each<[string, string, string, boolean]>([
  ['copied in later with its old mtime is new', at('2026-03-12T07:42:01.300Z'), old, true],
  [
    'that existed a moment before is not new',
    at('2026-03-12T07:42:01.299Z'),
    at('2026-03-12T07:42:01.299Z'),
    false,
  ],
  ['that existed long before is not new', old, old, false],
  ['on FAT, which rounds times to two seconds, is new', year1601, at('2026-03-12T07:42:00Z'), true],
  ['on FAT, from two rounding steps before, is not new', year1601, at('2026-03-12T07:41:58Z'), false],
  ['with a ctime of zero and an mtime of now is new', '0', at('2026-03-12T07:42:05Z'), true],
  ['with a ctime of zero and an old mtime is not new', '0', old, false],
  ['without any time is new', '0', '0', true],
  ['without any time on Windows is new', year1601, year1601, true],
])('a file %s', (_what, ctimeNs, mtimeNs, isNew) => {
  expect(arrivedSince({ ctimeNs, mtimeNs }, sinceMs)).toBe(isNew)
})
