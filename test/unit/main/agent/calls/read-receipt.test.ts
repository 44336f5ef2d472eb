import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { makeReceipt } from '../../../../../main/agent/calls/make-receipt.ts'
import { NotAReceiptError, readReceipt } from '../../../../../main/agent/calls/read-receipt.ts'
import { settingsSchema } from '../../../../../shared/settings/settings.ts'
import { MAX_RECEIPT_BYTES } from '../../../../../shared/status/receipt.ts'
import { openTempJournal, type TempJournal } from '../../../../support/temp-journal.ts'

let temp: TempJournal
let folder: string
let receiptText: string
const pathOf = (name: string) => path.join(folder, name)

beforeAll(async () => {
  temp = openTempJournal(() => Date.UTC(2026, 2, 1))
  folder = mkdtempSync(path.join(tmpdir(), 'sluice-receipt-'))
  const [watched] = settingsSchema.shape.folders.parse([{ path: '/rec', site: 'lab' }])
  const identity = { device: '1', inode: '2', sizeBytes: 1000, mtimeNs: '3', ctimeNs: '4' }
  temp.journal.recordings.add({ path: '/rec/take.bin', identity }, watched!, { findSessionFirst: false })
  const scope = { kind: 'period', sinceMs: null, untilMs: null } as const
  const nowMs = Date.UTC(2026, 2, 2)
  const options = { station: 'hall', format: 'json', nowMs, maxBytes: MAX_RECEIPT_BYTES } as const
  receiptText = (await makeReceipt(temp.journal, scope, options)).pieces.join('')
})
afterAll(() => {
  temp.close()
  rmSync(folder, { recursive: true })
})
afterEach(() => rmSync(pathOf('bad'), { force: true }))

test('reads a receipt and detects a change in it', async () => {
  writeFileSync(pathOf('good'), receiptText)
  const { receipt, unchanged } = await readReceipt(pathOf('good'))
  expect([receipt.recordings[0]?.path, unchanged]).toEqual(['/rec/take.bin', true])
  writeFileSync(pathOf('good'), readFileSync(pathOf('good'), 'utf8').replace('1000', '1001'))
  expect((await readReceipt(pathOf('good'))).unchanged).toBe(false)
})

test.each<[string, () => string | Buffer, string]>([
  [
    'a receipt cut in the middle',
    () => receiptText.slice(0, receiptText.length / 2),
    'is an incomplete or damaged receipt',
  ],
  ['a receipt of a later version', () => receiptText.replace('receipt/1', 'receipt/2'), 'sluice-receipt/2'],
  ['a settings file', () => '{"service":{"base_url":"https://x"}}', 'is not a receipt of Sluice'],
  ['null', () => 'null', 'is not a receipt of Sluice'],
  ['a list of paths', () => 'path\n/rec/a', 'is not a receipt of Sluice'],
  ['a CSV', () => 'path,size\n/rec/a,1', 'CSV'],
  ['binary data', () => Buffer.from([0x7b, 0xff, 0xfe, 0x00, 0xc3]), 'is not a receipt of Sluice'],
  ['an empty file', () => '', 'is not a receipt of Sluice'],
  ['a size in words', () => receiptText.replace('"bytes": 1000', '"bytes": "many"'), 'recordings.0.bytes'],
  [
    'an extra field',
    () => receiptText.replace('"station":', '"more": 1, "station":'),
    'was changed after Sluice wrote it',
  ],
  ['deep nesting', () => '['.repeat(200_000), 'is not a receipt of Sluice'],
])('refuses %s, and explains why', async (_, content, sentence) => {
  writeFileSync(pathOf('bad'), content())
  const error = await readReceipt(pathOf('bad')).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(NotAReceiptError)
  expect((error as Error).message).toContain(sentence)
})

test('refuses a folder, a missing file and a file that is too large, and reads none of them', async () => {
  writeFileSync(pathOf('bad'), '')
  truncateSync(pathOf('bad'), 300 * 1024 * 1024)
  await expect(readReceipt(pathOf('bad'))).rejects.toThrow('too large for a receipt')
  await expect(readReceipt(folder)).rejects.toThrow('is not a file')
  await expect(readReceipt(pathOf('nowhere'))).rejects.toThrow('There is no file')
})
