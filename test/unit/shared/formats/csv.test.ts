import { describe, expect, test } from 'vitest'
import { inspect } from '../../../../shared/formats/inspect.ts'
import { limitsByClockReads, sourceOf } from '../../../support/formats/recorded-files.ts'

const inspectCsv = (bytes: Buffer) => inspect(sourceOf({ name: 'log.csv', bytes }), limitsByClockReads())

const columns = (count: number, prefix = 'c') => Array.from({ length: count }, (_, n) => `${prefix}${n}`)

test('the inspection of a file with too many columns reports start, duration and a warning', async () => {
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

test.each([
  ['time', '1700000000', '1700000010.5'],
  ['timestamp', '1700000000000', '1700000010500'],
  ['timestamp', '1700000000000000', '1700000010500000'],
  ['timestamp', '1700000000000000000', '1700000010500000000'],
  ['time_ms', '1700000000000', '1700000010500'],
  ['timestamp_us', '1700000000000000', '1700000010500000'],
  ['t_ns', '1700000000000000000', '1700000010500000000'],
])(
  'the unit of the column %s follows from its name, or from the size of values such as %s',
  async (column, first, last) => {
    const text = `${column},x\n${first},0\n${last},1\n`
    expect(await inspectCsv(Buffer.from(text))).toMatchObject({
      startedAtMs: 1_700_000_000_000,
      durationS: 10.5,
      channels: [{ name: 'x' }],
      warnings: [],
    })
  },
)

test('takes the unit of a relative time from the column name, or else seconds', async () => {
  const durationOf = async (column: string) =>
    (await inspectCsv(Buffer.from(`${column},x\n0,0\n90000,1\n`))).durationS
  expect(await durationOf('t')).toBe(90_000)
  expect(await durationOf('t_ms')).toBe(90)
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
