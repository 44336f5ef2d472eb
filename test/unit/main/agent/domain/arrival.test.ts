import { expect, test } from 'vitest'
import { arrivedSince } from '../../../../../main/agent/domain/arrival.ts'

const sinceMs = Date.parse('2026-03-12T07:42:01.300Z')
const nsAt = (text: string) => String(BigInt(Date.parse(text)) * 1_000_000n)
const longAgoNs = nsAt('2020-01-01T00:00:00.123Z')
/** Windows returns this time for a file without a time. */
const year1601Ns = '-11644473600000000000'

test.each<[string, string, string, boolean]>([
  [
    'that was copied into the folder at the given time, with its old mtime, is new',
    nsAt('2026-03-12T07:42:01.300Z'),
    longAgoNs,
    true,
  ],
  [
    'that existed a millisecond before the given time is not new',
    nsAt('2026-03-12T07:42:01.299Z'),
    nsAt('2026-03-12T07:42:01.299Z'),
    false,
  ],
  ['that existed long before the given time is not new', longAgoNs, longAgoNs, false],
  ['on FAT whose time was rounded down is new', year1601Ns, nsAt('2026-03-12T07:42:00Z'), true],
  [
    'on FAT that is more than one rounding step older is not new',
    year1601Ns,
    nsAt('2026-03-12T07:41:58Z'),
    false,
  ],
  ['with a ctime of zero and a later mtime is new', '0', nsAt('2026-03-12T07:42:05Z'), true],
  ['with a ctime of zero and an old mtime is not new', '0', longAgoNs, false],
  ['without any time is new', '0', '0', true],
  ['without any time on Windows is new', year1601Ns, year1601Ns, true],
])('a file %s', (_, ctimeNs, mtimeNs, isNew) => {
  expect(arrivedSince({ ctimeNs, mtimeNs }, sinceMs)).toBe(isNew)
})
