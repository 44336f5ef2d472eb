import type { Receipt, ReceiptEntry } from '../../../shared/status/receipt.ts'
import { CSV_BEGIN, csvLine } from '../../../shared/words/csv.ts'

type Column = readonly [
  name: string,
  cell: (entry: ReceiptEntry, receipt: Receipt) => string | null | undefined,
]

const columns: readonly Column[] = [
  ['path', ({ path }) => path],
  ['state', ({ state }) => state],
  ['bytes', ({ bytes }) => String(bytes)],
  ['sha256', ({ sha256 }) => sha256],
  ['session_id', ({ session_id }) => session_id],
  ['service', ({ service }) => service],
  ['site', ({ site }) => site],
  ['device', ({ device }) => device],
  ['found', ({ times }) => times.found],
  ['hashed', ({ times }) => times.hashed],
  ['session_created', ({ times }) => times.session_created],
  ['completed', ({ times }) => times.completed],
  ['processed', ({ times }) => times.processed],
  ['service_created', ({ service_times }) => service_times.created],
  ['service_processed', ({ service_times }) => service_times.processed],
  // "no" if the path had newer content by then.
  ['current', ({ current }) => (current ? 'yes' : 'no')],
  ['removed_at', ({ removed_at }) => removed_at],
  ['moved_to', ({ moved_to }) => moved_to],
  ['take', ({ take }) => take],
  // Only a number, because ten thousand digests do not fit into a cell.
  ['parts', ({ parts }) => String(parts.length)],
  [
    'request_ids',
    ({ request_ids }) => request_ids.map(({ at, state, id }) => `${at}/${state}/${id}`).join(' '),
  ],
  ['made_at', (_, receipt) => receipt.made_at],
  ['made_by', (_, receipt) => receipt.made_by],
  ['station', (_, receipt) => receipt.station],
  ['scope_of', (_, receipt) => receipt.scope.of],
  ['scope_since', (_, receipt) => receipt.scope.since],
  ['scope_until', (_, receipt) => receipt.scope.until],
]

/**
 * The receipt as rows for spreadsheets: the header, then one piece per recording. Sluice never reads it back: the JSON
 * file is the proof.
 */
export function* receiptCsvPieces(receipt: Receipt): Generator<string> {
  yield `${CSV_BEGIN}${csvLine(columns.map(([name]) => name))}`
  for (const entry of receipt.recordings) yield csvLine(columns.map(([, cell]) => cell(entry, receipt) ?? ''))
}
