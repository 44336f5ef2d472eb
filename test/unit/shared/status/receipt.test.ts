import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { makeReceipt } from '../../../../main/agent/calls/make-receipt.ts'
import { receiptCsvPieces } from '../../../../main/agent/domain/receipt-csv.ts'
import type { Journal } from '../../../../main/agent/journal/journal.ts'
import { parseMomentMs } from '../../../../main/cli/parse-moment.ts'
import {
  isUnchanged,
  RECEIPT_FORMAT,
  type Receipt,
  type ReceiptEntry,
  receiptJsonPieces,
  sortEntries,
} from '../../../../shared/status/receipt.ts'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const timeAt = (minute: number): string => new Date(Date.UTC(2026, 2, 1, 3, minute)).toISOString()

const entryOf = (change: Partial<ReceiptEntry> = {}): ReceiptEntry => ({
  path: '/rec/take.mcap',
  site: 'lab',
  device: null,
  bytes: 12,
  sha256: 'a'.repeat(64),
  state: 'processed',
  current: true,
  service: 'https://api.example.com',
  session_id: 'ses_1',
  times: {
    found: timeAt(0),
    hashed: timeAt(1),
    session_created: timeAt(2),
    completed: timeAt(3),
    processed: timeAt(4),
  },
  service_times: { created: timeAt(2), processed: timeAt(4) },
  parts: [{ number: 1, bytes: 12, sha256: 'b'.repeat(64), etag: '"d41d8cd98f00b204e9800998ecf8427e"' }],
  request_ids: [{ at: timeAt(2), state: 'uploading', id: 'req_1' }],
  ...change,
})

const sortedKeys = (_name: string, value: unknown): unknown =>
  value === null || typeof value !== 'object' || Array.isArray(value)
    ? value
    : Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))

/** Returns a receipt with the digest that `docs/admin-guide.md` describes. Sluice itself computes it in pieces. */
const receiptOf = (recordings: readonly ReceiptEntry[]): Receipt => {
  const content = {
    receipt: RECEIPT_FORMAT,
    made_at: timeAt(9),
    made_by: 'Sluice',
    station: 'hall-3 "recordings":[] {',
    scope: { of: '', since: timeAt(0), until: null },
    recordings: sortEntries(recordings),
  } as const
  return { ...content, digest: { algorithm: 'sha256', value: sha256(JSON.stringify(content, sortedKeys)) } }
}

const csvOf = (receipt: Receipt): string => [...receiptCsvPieces(receipt)].join('')

test('a receipt with any path and device names is unchanged after it is written and parsed as JSON', () => {
  const anyName = fc.string({ unit: 'binary', minLength: 1, maxLength: 40 })
  fc.assert(
    fc.property(fc.uniqueArray(anyName, { minLength: 1, maxLength: 4 }), (names) => {
      const receipt = receiptOf(names.map((name) => entryOf({ path: name, device: name })))
      const parsed = JSON.parse([...receiptJsonPieces(receipt)].join('')) as Receipt
      expect(parsed).toEqual(receipt)
      expect(isUnchanged(parsed, sha256)).toBe(true)
    }),
  )
})

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', ' =1', '＝1', "'=1", 'a;=1', 'a,"=1'])(
  'no CSV cell starts like a formula: %j',
  (name) => {
    const receipt = receiptOf([entryOf({ path: name, site: name, device: name })])
    const cells = csvOf(receipt)
      .split('\r\n')
      .flatMap((line) => line.split(','))
    for (const cell of cells) expect(cell).not.toMatch(/^"?\s*[=+\-@＝]/)
  },
)

test.each(['a\nb.wav', 'a\r\nb.wav', 'ann\u202egpj.wav', 'a\u0000b', 'C:\\rec\\u0041.wav', '\ud800.wav'])(
  'CSV escapes line breaks, control characters and direction overrides in a name: %j',
  (path) => {
    const csv = csvOf(receiptOf([entryOf({ path })]))
    expect(csv.split('\r\n')).toHaveLength(3)
    expect(csv.slice(1).replaceAll('\r\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u)
  },
)

test('CSV has one row per recording, with the number of its parts', () => {
  const part = { bytes: 8_388_608, sha256: 'b'.repeat(64), etag: null }
  const parts = Array.from({ length: 10_000 }, (_, index) => ({ number: index + 1, ...part }))
  const removed = { removed_at: timeAt(9), moved_to: '/mnt/archive/b;c.mcap' }
  const receipt = receiptOf([entryOf({ parts }), entryOf({ path: '/rec/b;c.mcap', ...removed })])
  const [head = '', moved = '', large = '', ...rest] = csvOf(receipt).slice(1).trimEnd().split('\r\n')
  const cells = (row: string, ...names: readonly string[]) =>
    names.map((name) => row.split(',')[head.split(',').indexOf(name)])
  expect(rest).toEqual([])
  expect(cells(moved, 'path', 'parts', 'moved_to')).toEqual([
    '"/rec/b;c.mcap"',
    '1',
    '"/mnt/archive/b;c.mcap"',
  ])
  expect(cells(large, 'path', 'parts', 'removed_at')).toEqual(['/rec/take.mcap', '10000', ''])
})

test.each<[string, (receipt: Receipt) => Receipt]>([
  ['a digit of the size', (receipt) => ({ ...receipt, recordings: [entryOf({ bytes: 13 })] })],
  ['the station', (receipt) => ({ ...receipt, station: 'hall-4' })],
  ['a removed recording', (receipt) => ({ ...receipt, recordings: [] })],
  [
    'an ETag',
    (receipt) => ({
      ...receipt,
      recordings: [entryOf({ parts: [{ number: 1, bytes: 12, sha256: 'b'.repeat(64), etag: '"x"' }] })],
    }),
  ],
])('detects a change to a receipt: %s', (_, edit) => {
  const receipt = receiptOf([entryOf()])
  expect(isUnchanged(receipt, sha256)).toBe(true)
  expect(isUnchanged(edit(receipt), sha256)).toBe(false)
})

test('the order of keys and recordings does not change the digest', () => {
  const receipt = receiptOf([entryOf(), entryOf({ path: '/rec/b.mcap' })])
  const reversed = Object.fromEntries(Object.entries(receipt).toReversed()) as Receipt
  expect(isUnchanged({ ...reversed, recordings: receipt.recordings.toReversed() }, sha256)).toBe(true)
})

test.each([
  ['2026-03-01', 'since', new Date(2026, 2, 1).getTime()],
  ['2026-03-01', 'until', new Date(2026, 2, 2).getTime()],
  ['2026-03-01T18:00', 'until', new Date(2026, 2, 1, 18).getTime()],
  ['2026-03-01T18:00:30Z', 'since', Date.UTC(2026, 2, 1, 18, 0, 30)],
  ['2026-02-31', 'since', null],
  ['2026-02-31T10:00', 'since', null],
  ['2026-03-01T25:00', 'since', null],
  ['7d', 'since', 1_000_000_000_000 - 7 * 86_400_000],
  ['12h', 'until', 1_000_000_000_000 - 12 * 3_600_000],
  ['7w', 'since', null],
  ['yesterday', 'since', null],
  ['', 'since', null],
] as const)('“%s” for --%s gives %s', (text, edge, ms) => {
  expect(parseMomentMs(text, edge, 1_000_000_000_000)).toBe(ms)
})

test.each([0, 1, 3])(
  'the pieces of a receipt with %i recordings join to the JSON of the whole receipt',
  (count) => {
    const receipt = receiptOf(Array.from({ length: count }, (_, index) => entryOf({ path: `/rec/${index}` })))
    expect([...receiptJsonPieces(receipt)].join('')).toBe(`${JSON.stringify(receipt, null, 2)}\n`)
  },
)

test('a large receipt does not block the event loop, and a receipt above the limit is refused', async () => {
  const largeEntry = entryOf({
    parts: Array.from({ length: 2_000 }, (_, index) => ({
      number: index + 1,
      bytes: 12,
      sha256: 'b'.repeat(64),
      etag: '"d41d8cd98f00b204e9800998ecf8427e"',
    })),
  })
  const ids = Array.from({ length: 6 }, (_, index) => index)
  const journal = { receipts: { ids: () => ids, entry: () => largeEntry } } as unknown as Journal
  const makeLimited = (maxBytes: number) =>
    makeReceipt(journal, { kind: 'ids', ids }, { station: 'hall-3', format: 'json', nowMs: 0, maxBytes })
  let turns = 0
  let isDone = false
  const turn = () => {
    turns += 1
    if (!isDone) setImmediate(turn)
  }
  setImmediate(turn)
  const { pieces, recordings } = await makeLimited(64 * 1024 * 1024)
  isDone = true
  expect(recordings).toBe(6)
  expect(isUnchanged(JSON.parse(pieces.join('')) as Receipt, sha256)).toBe(true)
  expect(turns).toBeGreaterThan(3)
  await expect(makeLimited(1024 * 1024)).rejects.toThrow('run “sluice receipt” in the terminal')
})
