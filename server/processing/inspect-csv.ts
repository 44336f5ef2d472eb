import { channelName, type Inspection, nothingFound } from './findings.ts'
import type { Recording } from './recording.ts'

const edgeBytes = 64 * 1024
const maxColumns = 1_000

/** Reads the channels from the header line and the times from the first and the last row. */
export async function inspectCsv(recording: Recording): Promise<Inspection> {
  const head = (await recording.read(0, edgeBytes)).toString('utf8')
  const [header = '', firstRow = ''] = head.split(/\r?\n/, 2)
  const separator = [',', ';', '\t'].find((candidate) => header.includes(candidate)) ?? ','
  const columns = header
    .replace(/^\uFEFF/, '')
    .split(separator)
    .map((column) => column.trim().replace(/^"|"$/g, ''))
  if (header.trim() === '' || columns.length > maxColumns) {
    return nothingFound({
      code: 'file_unreadable',
      severity: 'error',
      detail: 'The file has no header line.',
    })
  }
  const timeColumn = columns.findIndex((column) =>
    /^(t|time|timestamp|t_ns|time_ns|timestamp_ns)$/i.test(column),
  )
  const names = columns.filter((_, index) => index !== timeColumn).map(channelName)
  if (timeColumn === -1) {
    const issue = { code: 'no_time_column', severity: 'warning', detail: 'No column holds times.' } as const
    return { channels: names, startMs: null, durationS: null, issues: [issue] }
  }
  const tail = (await recording.read(Math.max(0, recording.bytes - edgeBytes), edgeBytes)).toString('utf8')
  const lastRow = tail.trimEnd().split(/\r?\n/).at(-1) ?? ''
  const inNs = /_ns$/i.test(columns[timeColumn]!)
  const first = timeOf(firstRow.split(separator)[timeColumn], inNs)
  const last = timeOf(lastRow.split(separator)[timeColumn], inNs)
  if (first === null || last === null || last < first) {
    const detail = `The column ${columns[timeColumn]} does not hold times in order.`
    return {
      channels: names,
      startMs: null,
      durationS: null,
      issues: [
        { code: 'time_unreadable', severity: 'warning', channel: channelName(columns[timeColumn]!), detail },
      ],
    }
  }
  return { channels: names, startMs: first, durationS: (last - first) / 1000, issues: [] }
}

/** Milliseconds since 1970, from nanoseconds, seconds or ISO 8601. */
function timeOf(cell: string | undefined, inNs: boolean): number | null {
  const text = cell?.trim().replace(/^"|"$/g, '') ?? ''
  if (text === '') return null
  const number = Number(text)
  const ms = Number.isNaN(number) ? Date.parse(text) : inNs ? number / 1e6 : number * 1000
  return Number.isFinite(ms) && Math.abs(ms) <= 8.64e15 ? ms : null
}
