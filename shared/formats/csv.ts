import { type BoundedReader, DamagedError, TooLargeError } from './bounded-reader.ts'
import type { Findings } from './findings.ts'
import type { Format } from './format.ts'

const edgeBytes = 64 * 1024

/** Reads the channels from the header line and the times from the first and the last row. */
async function inspect(reader: BoundedReader, findings: Findings): Promise<void> {
  const headBytes = await reader.readUpTo(0, edgeBytes)
  const decoder = new TextDecoder(encodingOf(headBytes))
  const head = decoder.decode(headBytes)
  const firstLines = head.split(/\r?\n/, 3)
  const [header = '', firstRow = ''] = firstLines
  const isLong = reader.size > edgeBytes
  if (isLong && firstLines.length === 1) throw new TooLargeError('The header line is too long to inspect.')
  const separator = [',', ';', '\t'].find((candidate) => header.includes(candidate)) ?? ','
  const columns = header.split(separator).map((column) => column.trim().replace(/^"|"$/g, ''))
  if (header.trim() === '') throw new DamagedError('The file has no header line.')
  const timeColumn = columns.findIndex((column) => /^(t|time|timestamp)(_ms|_us|_ns)?$/i.test(column))
  for (const [index, column] of columns.entries()) if (index !== timeColumn) findings.channel(index, column)
  if (timeColumn === -1) {
    findings.warn('no-time-column', 'No column is named t, time or timestamp.')
    return
  }
  const tailAt = Math.max(0, reader.size - edgeBytes)
  // A character of UTF-16 begins at an even offset, so the tail must begin at one too.
  const tail = decoder.decode(await reader.readUpTo(tailAt - (tailAt % 2), edgeBytes + 1))
  const lastLines = tail.trimEnd().split(/\r?\n/)
  // If a row is longer than the bytes that were read, its time may be cut off.
  if (isLong && (firstLines.length === 2 || lastLines.length === 1))
    throw new TooLargeError('A row is too long to inspect.')
  const lastRow = lastLines.at(-1) ?? ''
  const [, unit = null] = /_(ms|us|ns)$/i.exec(columns[timeColumn]!.toLowerCase()) ?? []
  const first = timeOf(firstRow.split(separator)[timeColumn], unit)
  const last = timeOf(lastRow.split(separator)[timeColumn], unit)
  if (first === null || last === null || last < first) {
    const name = columns[timeColumn]!
    findings.warn(
      'time-unreadable',
      `The column ${name} has no readable times, or its last time is before its first.`,
      name,
    )
    return
  }
  findings.startMs = first
  findings.durationS = (last - first) / 1000
}

/** The byte order mark shows the encoding. Some Windows programs write UTF-16. */
function encodingOf(head: Buffer): 'utf-8' | 'utf-16le' | 'utf-16be' {
  const mark = head.toString('latin1', 0, 2)
  return mark === '\xff\xfe' ? 'utf-16le' : mark === '\xfe\xff' ? 'utf-16be' : 'utf-8'
}

/**
 * Guesses the unit of a time column whose name does not give it. A number above 100 billion cannot be seconds: it
 * would be after the year 5138.
 */
function guessUnit(number: number): string {
  if (Math.abs(number) < 1e11) return 's'
  if (Math.abs(number) < 1e14) return 'ms'
  return Math.abs(number) < 1e17 ? 'us' : 'ns'
}

function toMs(number: number, unit: string): number {
  switch (unit) {
    case 'ns':
      return number / 1e6
    case 'us':
      return number / 1e3
    case 'ms':
      return number
    default:
      return number * 1000
  }
}

/** Milliseconds since 1970, from a number or ISO 8601. */
function timeOf(cell: string | undefined, unit: string | null): number | null {
  const text = cell?.trim().replace(/^"|"$/g, '') ?? ''
  if (text === '') return null
  const number = Number(text)
  const ms = Number.isNaN(number) ? Date.parse(text) : toMs(number, unit ?? guessUnit(number))
  return Number.isFinite(ms) && Math.abs(ms) <= 8.64e15 ? ms : null
}

export const csv: Format = {
  name: 'csv',
  matches: (_, fileName) => fileName.endsWith('.csv'),
  // A CSV file has no end mark, because any row may be the last one.
  findEnd: async () => 'unmarked',
  inspect,
}
