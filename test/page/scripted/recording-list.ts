import type { CheckedArgs } from '../../../shared/ipc.ts'
import {
  needsSomebody,
  type RecordingPage,
  type RecordingRow,
  type Throughput,
} from '../../../shared/status.ts'
import type { Kind } from './recordings.ts'

type Query = CheckedArgs<'listRecordings'>

const isPlain = (query: Query) =>
  query.text === '' &&
  query.states.length === 0 &&
  query.folder === undefined &&
  query.problem === undefined &&
  !query.needsSomebody &&
  query.from === undefined &&
  query.to === undefined &&
  query.sort === 'found' &&
  query.descending

/** As the journal would answer; the plain list makes only the rows that were asked for. */
export const listRecordings = (
  query: Query,
  total: number,
  row: (index: number) => RecordingRow,
): RecordingPage => {
  const end = query.offset + query.limit
  if (isPlain(query)) {
    const length = Math.max(0, Math.min(end, total) - query.offset)
    return { total, rows: Array.from({ length }, (_, index) => row(query.offset + index)) }
  }
  const text = query.text.toLowerCase()
  const rows = Array.from({ length: total }, (_, index) => row(index)).filter(
    (one) =>
      (text === '' || one.path.toLowerCase().includes(text)) &&
      (query.states.length === 0 || query.states.includes(one.state)) &&
      (query.folder === undefined || one.folder === query.folder) &&
      (query.problem === undefined || one.problem?.code === query.problem) &&
      (!query.needsSomebody || (one.problem !== null && needsSomebody(one.problem))) &&
      (query.from === undefined || one.foundAt >= query.from) &&
      (query.to === undefined || one.foundAt < query.to),
  )
  const value = (one: RecordingRow) =>
    ({ found: one.foundAt, changed: one.changedAt, name: one.name, state: one.state, bytes: one.bytes })[
      query.sort
    ]
  rows.sort((a, b) => (value(a) < value(b) ? -1 : 1) * (query.descending ? -1 : 1))
  return { total: rows.length, rows: rows.slice(query.offset, end) }
}

/** Begins, swings, and has ended where the station is held. */
export const throughputOf = (span: '10m' | '24h', kind: Kind): Throughput => {
  const bucketSeconds = span === '10m' ? 5 : 600
  const isIdle = (index: number) =>
    kind === 'calm' ||
    kind === 'refused' ||
    (kind === 'held' && index > 104) ||
    (span === '10m' ? index < 18 : index > 40 && index < 78)
  return {
    bucketSeconds,
    endsAt: new Date().toISOString(),
    bytes: Array.from({ length: span === '10m' ? 120 : 144 }, (_, index) => {
      const wave = 60 + 22 * Math.sin(index / 9) + 9 * Math.sin(index / 2.3)
      return isIdle(index) ? 0 : Math.round(wave * 1_000_000 * bucketSeconds)
    }),
  }
}
