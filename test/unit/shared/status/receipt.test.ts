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

/** The shape and the digest of a receipt, and its rows for a spreadsheet. */

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const at = (minute: number): string => new Date(Date.UTC(2026, 2, 1, 3, minute)).toISOString()

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
  times: { found: at(0), hashed: at(1), session_created: at(2), completed: at(3), processed: at(4) },
  service_times: { created: at(2), processed: at(4) },
  parts: [{ number: 1, bytes: 12, sha256: 'b'.repeat(64), etag: '"d41d8cd98f00b204e9800998ecf8427e"' }],
  request_ids: [{ at: at(2), state: 'uploading', id: 'req_1' }],
  ...change,
})

const sortedKeys = (_name: string, value: unknown): unknown =>
  value === null || typeof value !== 'object' || Array.isArray(value)
    ? value
    : Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))

/** Computed as the guide describes it, all at once with sorted keys. The shipped code works in pieces. */
const receiptOf = (recordings: readonly ReceiptEntry[]): Receipt => {
  const content = {
    receipt: RECEIPT_FORMAT,
    made_at: at(9),
    made_by: 'Sluice',
    station: 'hall-3 "recordings":[] {',
    scope: { of: '', since: at(0), until: null },
    recordings: sortEntries(recordings),
  } as const
  return { ...content, digest: { algorithm: 'sha256', value: sha256(JSON.stringify(content, sortedKeys)) } }
}

const csvOf = (receipt: Receipt): string => [...receiptCsvPieces(receipt)].join('')

test('a receipt reads back unchanged from its file, with any names', () => {
  const anyName = fc.string({ unit: 'binary', minLength: 1, maxLength: 40 })
  fc.assert(
    fc.property(fc.uniqueArray(anyName, { minLength: 1, maxLength: 4 }), (names) => {
      const receipt = receiptOf(names.map((name) => entryOf({ path: name, device: name })))
      const read = JSON.parse([...receiptJsonPieces(receipt)].join('')) as Receipt
      expect(read).toEqual(receipt)
      expect(isUnchanged(read, sha256)).toBe(true)
    }),
  )
})

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', ' =1', '＝1', "'=1", 'a;=1', 'a,"=1'])(
  'no cell starts like a formula: %j',
  (name) => {
    const receipt = receiptOf([entryOf({ path: name, site: name, device: name })])
    const cells = csvOf(receipt)
      .split('\r\n')
      .flatMap((line) => line.split(','))
    for (const cell of cells) expect(cell).not.toMatch(/^"?\s*[=+\-@＝]/)
  },
)

test.each(['a\nb.wav', 'a\r\nb.wav', 'ann\u202egpj.wav', 'a\u0000b', 'C:\\rec\\u0041.wav', '\ud800.wav'])(
  'a name that would break or turn a line is escaped: %j',
  (path) => {
    const csv = csvOf(receiptOf([entryOf({ path })]))
    expect(csv.split('\r\n')).toHaveLength(3)
    expect(csv.slice(1).replaceAll('\r\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u)
  },
)

test('CSV has one row per recording, with the number of its parts', () => {
  const part = { bytes: 8_388_608, sha256: 'b'.repeat(64), etag: null }
  const parts = Array.from({ length: 10_000 }, (_, index) => ({ number: index + 1, ...part }))
  const removed = { removed_at: at(9), moved_to: '/mnt/archive/b;c.mcap' }
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
  ['a recording left out', (receipt) => ({ ...receipt, recordings: [] })],
  [
    'an ETag',
    (receipt) => ({
      ...receipt,
      recordings: [entryOf({ parts: [{ number: 1, bytes: 12, sha256: 'b'.repeat(64), etag: '"x"' }] })],
    }),
  ],
])('detects that a receipt was edited: %s', (_name, edit) => {
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
] as const)('reads the typed day or moment %s as %s', (text, edge, ms) => {
  expect(parseMomentMs(text, edge, 1_000_000_000_000)).toBe(ms)
})

test.each([0, 1, 3])('a receipt of %i recordings in pieces equals the JSON in one piece', (count) => {
  const receipt = receiptOf(Array.from({ length: count }, (_, index) => entryOf({ path: `/rec/${index}` })))
  expect([...receiptJsonPieces(receipt)].join('')).toBe(`${JSON.stringify(receipt, null, 2)}\n`)
})

test('a large receipt does not block the event loop, and one that is too large is refused', async () => {
  const many = entryOf({
    parts: Array.from({ length: 2_000 }, (_, index) => ({
      number: index + 1,
      bytes: 12,
      sha256: 'b'.repeat(64),
      etag: '"d41d8cd98f00b204e9800998ecf8427e"',
    })),
  })
  const ids = Array.from({ length: 6 }, (_, index) => index)
  const journal = { receipts: { ids: () => ids, entry: () => many } } as unknown as Journal
  const make = (maxBytes: number) =>
    makeReceipt(journal, { kind: 'ids', ids }, { station: 'hall-3', format: 'json', nowMs: 0, maxBytes })
  let turns = 0
  let isDone = false
  const turn = () => {
    turns += 1
    if (!isDone) setImmediate(turn)
  }
  setImmediate(turn)
  const { pieces, recordings } = await make(64 * 1024 * 1024)
  isDone = true
  expect(recordings).toBe(6)
  expect(isUnchanged(JSON.parse(pieces.join('')) as Receipt, sha256)).toBe(true)
  expect(turns).toBeGreaterThan(3)
  await expect(make(1024 * 1024)).rejects.toThrow('run “sluice receipt” in the terminal')
})
