import {
  inOrder,
  RECEIPT_FORMAT,
  type Receipt,
  type ReceiptEntry,
  type ReceiptPart,
  type ReceiptRequest,
} from '../../../shared/status/receipt.ts'
import { CSV_BEGIN, csvLine } from '../../../shared/words/csv.ts'

/**
 * The same receipt as rows. Everything that is digested is in it as values, so that a spreadsheet may quote, end its
 * lines and sort as it likes. The digest stands in a column of every row: a comment line would be a row of its own
 * there, and lost by the first sort. A recording has one row, and more where its parts do not fit into one cell.
 */
const columns = [
  'path',
  'state',
  'bytes',
  'sha256',
  'session_id',
  'service',
  'site',
  'device',
  'found',
  'hashed',
  'session_created',
  'completed',
  'processed',
  'service_created',
  'service_processed',
  'current',
  'removed_at',
  'moved_to',
  'parts',
  'request_ids',
  'receipt',
  'made_at',
  'made_by',
  'station',
  'scope_of',
  'scope_since',
  'scope_until',
  'digest',
] as const

/** Receipts of an earlier Sluice are without these. */
const laterColumns: readonly string[] = ['removed_at', 'moved_to']

type Column = (typeof columns)[number]
type Row = Readonly<Record<Column, string>>

/** Excel cuts a cell after 32,767 characters. */
const MOST_CELL_CHARS = 30_000

/** What the next row of the same recording holds: nothing but more parts. */
const MORE_PARTS = '+'

/* ---- cells ---- */

const unescapeCell = (text: string): string =>
  text.replace(/\\u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))

const original = (text: string): string => (text.startsWith("'") ? text.slice(1) : text)

/** Blanks part one item of a cell from the next. */
const escapeItem = (text: string): string => text.replace(/[^\x21-\x7e]|%/gu, encodeURIComponent)

/* ---- writing ---- */

const partCell = ({ number, bytes, sha256, etag }: ReceiptPart): string =>
  `${number}:${bytes}:${sha256}:${etag === null ? '' : `=${escapeItem(etag)}`}`

const requestCell = ({ at, state, id }: ReceiptRequest): string => `${at}/${state}/${escapeItem(id)}`

/** As many to a cell as fit. */
const partCells = (parts: readonly ReceiptPart[]): string[] => {
  const cells = ['']
  for (const part of parts) {
    const item = partCell(part)
    const cell = cells.at(-1) ?? ''
    if (cell === '') cells[cells.length - 1] = item
    else if (cell.length + item.length < MOST_CELL_CHARS) cells[cells.length - 1] = `${cell} ${item}`
    else cells.push(item)
  }
  return cells
}

const rowsOf = (entry: ReceiptEntry | null, receipt: Receipt): Row[] => {
  const common = {
    receipt: receipt.receipt,
    made_at: receipt.made_at,
    made_by: receipt.made_by,
    station: receipt.station,
    scope_of: receipt.scope.of,
    scope_since: receipt.scope.since ?? '',
    scope_until: receipt.scope.until ?? '',
    digest: receipt.digest.value,
  }
  const [first = '', ...more] = entry === null ? [] : partCells(entry.parts)
  const head = {
    path: entry?.path ?? '',
    state: entry?.state ?? '',
    bytes: entry === null ? '' : String(entry.bytes),
    sha256: entry?.sha256 ?? '',
    session_id: entry?.session_id ?? '',
    service: entry?.service ?? '',
    site: entry?.site ?? '',
    device: entry?.device ?? '',
    found: entry?.times.found ?? '',
    hashed: entry?.times.hashed ?? '',
    session_created: entry?.times.session_created ?? '',
    completed: entry?.times.completed ?? '',
    processed: entry?.times.processed ?? '',
    service_created: entry?.service_times.created ?? '',
    service_processed: entry?.service_times.processed ?? '',
    current: entry === null ? '' : entry.current ? 'yes' : 'no',
    removed_at: entry?.removed_at ?? '',
    moved_to: entry?.moved_to ?? '',
    parts: first,
    request_ids: entry?.request_ids.map(requestCell).join(' ') ?? '',
  }
  return [
    { ...head, ...common },
    ...more.map((parts) => ({ ...head, ...common, state: MORE_PARTS, request_ids: '', parts })),
  ]
}

/** In pieces, one for each recording. */
export function* receiptCsvPieces(receipt: Receipt): Generator<string> {
  const entries: readonly (ReceiptEntry | null)[] =
    receipt.recordings.length === 0 ? [null] : receipt.recordings
  yield `${CSV_BEGIN}${csvLine(columns)}`
  for (const entry of entries)
    yield rowsOf(entry, receipt)
      .map((row) => csvLine(columns.map((name) => row[name])))
      .join('')
}

/* ---- reading ---- */

/** The rows are no receipt; the message says which one and why. */
export class BadReceiptRows extends Error {}

/** Excel of many countries writes semicolons. */
const separatorOf = (text: string): string => {
  const head = text.slice(0, text.search(/[\r\n]|$/))
  return (
    [',', ';', '\t'].find((sign) => head.split(sign).length >= columns.length - laterColumns.length) ?? ','
  )
}

const cellsOf = (text: string): string[][] => {
  const separator = separatorOf(text)
  const rows: string[][] = []
  let row: string[] = []
  let at = 0
  while (at < text.length) {
    let cell = ''
    if (text[at] === '"') {
      at += 1
      for (;;) {
        const end = text.indexOf('"', at)
        if (end === -1) throw new BadReceiptRows(`row ${rows.length + 1} ends in the middle`)
        cell += text.slice(at, end)
        at = end + 1
        if (text[at] !== '"') break
        cell += '"'
        at += 1
      }
    } else {
      const start = at
      while (at < text.length && text[at] !== separator && text[at] !== '\r' && text[at] !== '\n') at += 1
      cell = text.slice(start, at)
    }
    row.push(cell)
    if (text[at] === separator) {
      at += 1
      if (at === text.length) row.push('')
      continue
    }
    if (text[at] === '\r') at += 1
    if (text[at] === '\n') at += 1
    rows.push(row)
    row = []
  }
  return row.length === 0 ? rows : [...rows, row]
}

const none = (text: string): string | null => (text === '' ? null : text)

const items = (cell: string): string[] => cell.split(' ').filter((item) => item !== '')

const unescapeItem = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const readPart = (item: string) => {
  const [number = '', bytes = '', sha256 = '', ...rest] = item.split(':')
  const etag = rest.join(':')
  return {
    number: Number(number),
    bytes: Number(bytes),
    sha256,
    etag: etag.startsWith('=') ? unescapeItem(etag.slice(1)) : null,
  }
}

const readRequest = (item: string) => {
  const [at = '', state = '', ...rest] = item.split('/')
  return { at, state, id: unescapeItem(rest.join('/')) }
}

const readEntry = (row: Row, parts: readonly ReturnType<typeof readPart>[]) => ({
  path: row.path,
  site: row.site,
  device: none(row.device),
  bytes: Number(row.bytes),
  sha256: none(row.sha256),
  state: row.state,
  current: row.current === 'yes',
  service: none(row.service),
  session_id: none(row.session_id),
  times: {
    found: row.found,
    hashed: none(row.hashed),
    session_created: none(row.session_created),
    completed: none(row.completed),
    processed: none(row.processed),
  },
  service_times: { created: none(row.service_created), processed: none(row.service_processed) },
  ...(row.removed_at === '' ? {} : { removed_at: row.removed_at }),
  ...(row.moved_to === '' ? {} : { moved_to: row.moved_to }),
  parts: parts.toSorted((a, b) => a.number - b.number),
  request_ids: items(row.request_ids).map(readRequest),
})

const identityOf = (row: Row): string => JSON.stringify([row.found, row.path, row.session_id])

export const looksLikeCsv = (text: string): boolean => /^\ufeff?"?path"?[,;\t]/.test(text)

/** What the rows say, to be checked as what was read of the JSON is. Throws BadReceiptRows. */
export const readReceiptCsv = (text: string): unknown => {
  const [head = [], ...body] = cellsOf(text.replace(/^\ufeff/, ''))
  const missing = columns.find((name) => !head.includes(name) && !laterColumns.includes(name))
  if (missing !== undefined) throw new BadReceiptRows(`the column ${missing} is missing`)
  const places = columns.map((name) => [name, head.indexOf(name)] as const)
  const rows = body
    .filter((cells) => cells.some((cell) => cell !== ''))
    .map(
      (cells) =>
        Object.fromEntries(
          places.map(([name, at]) => [name, unescapeCell(original(cells[at] ?? ''))]),
        ) as Row,
    )
  const [any] = rows
  if (any === undefined) throw new BadReceiptRows('it has no rows')
  const common = (row: Row) =>
    JSON.stringify([
      row.receipt,
      row.made_at,
      row.made_by,
      row.station,
      row.scope_of,
      row.scope_since,
      row.scope_until,
      row.digest,
    ])
  const odd = rows.findIndex((row) => common(row) !== common(any))
  if (odd !== -1) throw new BadReceiptRows(`row ${odd + 2} belongs to another receipt than row 2`)
  const partsOf = Map.groupBy(rows, identityOf)
  const heads = rows.filter((row) => row.state !== MORE_PARTS && row.path !== '')
  const recordings = heads.map((row) =>
    readEntry(
      row,
      (partsOf.get(identityOf(row)) ?? []).flatMap((one) => items(one.parts).map(readPart)),
    ),
  )
  return {
    receipt: any.receipt === '' ? RECEIPT_FORMAT : any.receipt,
    made_at: any.made_at,
    made_by: any.made_by,
    station: any.station,
    scope: { of: any.scope_of, since: none(any.scope_since), until: none(any.scope_until) },
    recordings: inOrder(recordings as ReceiptEntry[]),
    digest: { algorithm: 'sha256', value: any.digest },
  }
}
