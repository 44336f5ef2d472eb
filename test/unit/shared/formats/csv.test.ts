import { describe, expect, test } from 'vitest'
import { inspect } from '../../../../shared/formats/inspect.ts'
import { limitsByClockReads, sourceOf } from '../../../support/formats/recorded-files.ts'

const inspectCsv = (bytes: Buffer) => inspect(sourceOf({ name: 'log.csv', bytes }), limitsByClockReads())

const columns = (count: number, prefix = 'c') => Array.from({ length: count }, (_, n) => `${prefix}${n}`)

test('a file with more columns than Sluice lists has its start, its duration and a warning', async () => {
  const zeros = ',0'.repeat(1_500)
  const bytes = Buffer.from(`time,${columns(1_500).join()}\n10${zeros}\n12${zeros}\n`)
  expect(await inspectCsv(bytes)).toMatchObject({
    startedAtMs: 10_000,
    durationS: 2,
    channels: { length: 1_000, 999: { name: 'c999' } },
    warnings: [{ code: 'too-many-channels', detail: 'The recording has more than 1000 channels.' }],
  })
})

const short = '10,1,2\n'
const long = `10,${'1'.repeat(100_000)},2\n`
test.each([
  ['The header line', `time,${'c'.repeat(100_000)},d\n${short}`],
  ['A row', `time,c,d\n${long}${short}`],
  ['A row', `time,c,d\n${short}${long}`],
])('%s that is too long to read does not count as damage', async (line, text) => {
  const detail = `${line} is too long to inspect.`
  const { durationS, warnings } = await inspectCsv(Buffer.from(text))
  expect([durationS, warnings]).toEqual([null, [{ code: 'chunk-too-large', detail }]])
})

test('a file without a header line is damaged', async () => {
  expect((await inspectCsv(Buffer.from('\n1,2\n'))).warnings).toEqual([
    { code: 'damaged', detail: 'The file has no header line.' },
  ])
})

describe('a file with a byte order mark', () => {
  const rows = Array.from({ length: 10_000 }, (_, n) => `${n / 10}\t${n}\t0`)
  const text = `\uFEFFtime\tDüse (°C)\tTorque\r\n${rows.join('\r\n')}\r\n`
  const littleEndian = Buffer.from(text, 'utf16le')
  test.each([
    ['UTF-8', Buffer.from(text)],
    ['UTF-16, little-endian', littleEndian],
    ['UTF-16, big-endian', Buffer.from(littleEndian).swap16()],
  ])('is read as %s', async (_, bytes) => {
    expect(await inspectCsv(bytes)).toMatchObject({
      startedAtMs: 0,
      durationS: 999.9,
      channels: [{ name: 'Düse (°C)' }, { name: 'Torque' }],
      warnings: [],
    })
  })
})
