import type { CheckedArgs } from '../../../shared/ipc/ipc.ts'
import { redact } from '../../../shared/redaction/redact.ts'
import type { ActivityEntry, ActivityPage } from '../../../shared/status/activity.ts'
import { activityOwner, activitySentence, groupOf, toneOf } from '../domain/activity.ts'
import type { ActivityPosition, ActivityRow } from '../journal/activity-store.ts'
import type { Journal } from '../journal/journal.ts'

/** A search reads this many rows per query, and at most `MAX_ROWS` in all, so that it does not block the agent. */
const ROWS_PER_QUERY = 1_000
const MAX_ROWS = 3_000

const idOf = ({ atMs, source, id }: ActivityPosition): string => `${atMs}.${source}.${id}`

const positionOf = (id: string | null): ActivityPosition | null => {
  const [atMs, source, row] = id?.split('.').map(Number) ?? []
  if (atMs === undefined || row === undefined || (source !== 0 && source !== 1)) return null
  return { atMs, source, id: row }
}

const sentenceOf = ({ position, activity, name, bytes }: ActivityRow, nowMs: number): string =>
  activitySentence(activity, { name, bytes, atMs: position.atMs }, nowMs)

/** Redacts the sentence, because an older version may have written the entry. */
const entryOf = (row: ActivityRow, sentence: string): ActivityEntry => {
  const { position, activity } = row
  return {
    id: idOf(position),
    at: new Date(position.atMs).toISOString(),
    kind: activity.kind,
    group: groupOf(activity.kind),
    tone: toneOf(activity),
    sentence: redact(sentence),
    recordingId: row.recordingId,
    sessionId: row.sessionId,
    requestId: row.requestId,
    owner: activityOwner(activity),
  }
}

/**
 * One page of the entries whose sentence, request ID or session ID contains the text. SQL cannot search the sentences,
 * because the database does not store them.
 */
export const activityPage = (
  journal: Pick<Journal, 'activity'>,
  query: CheckedArgs<'listActivity'>,
  nowMs: number,
): ActivityPage => {
  const searchText = query.text.trim().toLowerCase()
  const entries: ActivityEntry[] = []
  const pageSize = searchText === '' ? query.limit : ROWS_PER_QUERY
  let before = positionOf(query.before)
  for (let searchedRows = 0; searchedRows < MAX_ROWS; searchedRows += pageSize) {
    const rows = journal.activity.read({
      groups: query.groups,
      fromMs: query.from === undefined ? null : Date.parse(query.from),
      toMs: query.to === undefined ? null : Date.parse(query.to),
      before,
      limit: pageSize,
    })
    for (const row of rows) {
      const sentence = sentenceOf(row, nowMs)
      before = row.position
      const text = `${sentence} ${row.requestId ?? ''} ${row.sessionId ?? ''}`
      if (text.toLowerCase().includes(searchText)) entries.push(entryOf(row, sentence))
      if (entries.length === query.limit) return { entries, older: idOf(row.position) }
    }
    if (rows.length < pageSize) return { entries, older: null }
  }
  return { entries, older: before === null ? null : idOf(before) }
}
