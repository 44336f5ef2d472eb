import type { List, Session, SessionStatus } from '../../shared/contract/control-api.ts'
import { type Checked, invalid, ok, value } from '../answer.ts'
import { sessionView } from '../session-view.ts'
import { type SessionFilter, type SessionRow, sessions } from '../store/sessions.ts'
import type { Call, Handler } from './call.ts'
import { readCursor, writeCursor } from './cursor.ts'

const defaultLimit = 50
const maxLimit = 500

/** §4.5, newest first. */
export const listSessions: Handler = async (call) => {
  const checked = checkFilter(call)
  if (checked.kind === 'refusal') return checked
  const filter = checked.value
  // Read one row more than requested, to know whether there is a next page.
  const rows = await call.context.store.read(sessions.list({ ...filter, limit: filter.limit + 1 }))
  const page = rows.slice(0, filter.limit)
  return ok(listView(call, page, rows.length > filter.limit ? page.at(-1)!.seq : null))
}

/** §2.5. The next page begins below `lastSeq`, which is null if there is no next page. */
export function listView(call: Call, page: readonly SessionRow[], lastSeq: number | null): List<Session> {
  return {
    object: 'list',
    data: page.map(sessionView),
    has_more: lastSeq !== null,
    ...(lastSeq === null ? {} : { next_cursor: writeCursor(call.context.signer.secret, lastSeq) }),
  }
}

const statuses = [
  'uploading',
  'uploaded',
  'processing',
  'processed',
  'failed',
] as const satisfies readonly SessionStatus[]

export function checkFilter(call: Call): Checked<SessionFilter> {
  const { query } = call
  for (const name of new Set(query.keys())) {
    if (query.getAll(name).length > 1) return invalid(name, `${name} may occur only once.`)
  }
  const site = query.get('site')
  if (site?.includes('\0')) return invalid('site', 'site must not contain a NUL character.')
  const status = query.get('status')
  if (status !== null && !(statuses as readonly string[]).includes(status)) {
    return invalid('status', `status must be one of ${statuses.join(', ')}.`)
  }
  const limit = query.get('limit') ?? String(defaultLimit)
  if (!/^\d{1,3}$/.test(limit) || Number(limit) < 1 || Number(limit) > maxLimit) {
    return invalid('limit', `limit must be a whole number from 1 to ${maxLimit}.`)
  }
  const createdGte = readTime(query.get('created[gte]'))
  if (createdGte === 'malformed')
    return invalid(
      'created[gte]',
      'created[gte] must be a date, or a date and time with an offset from UTC, such as 2026-03-01T18:00:00Z.',
    )
  const createdLt = readTime(query.get('created[lt]'))
  if (createdLt === 'malformed')
    return invalid(
      'created[lt]',
      'created[lt] must be a date, or a date and time with an offset from UTC, such as 2026-03-01T18:00:00Z.',
    )
  const cursor = query.get('cursor')
  const beforeSeq = cursor === null ? null : readCursor(call.context.signer.secret, cursor)
  if (cursor !== null && beforeSeq === null)
    return invalid('cursor', 'cursor does not come from a list of sessions.')
  return value({
    orgId: call.key.org_id,
    limit: Number(limit),
    ...(site === null ? {} : { site }),
    ...(status === null ? {} : { status: status as SessionStatus }),
    ...(createdGte === null ? {} : { createdGte }),
    ...(createdLt === null ? {} : { createdLt }),
    ...(beforeSeq === null ? {} : { beforeSeq }),
  })
}

/** A date, or a date and time with its offset from UTC. A local time would be ambiguous. */
function readTime(text: string | null): number | null | 'malformed' {
  if (text === null) return null
  if (!/^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/.test(text))
    return 'malformed'
  // `Date.parse` takes February 30 as March 2.
  const day = text.slice(0, 10)
  const dayMs = Date.parse(day)
  if (Number.isNaN(dayMs) || new Date(dayMs).toISOString().slice(0, 10) !== day) return 'malformed'
  const ms = Date.parse(text)
  if (Number.isNaN(ms)) return 'malformed'
  // `Date.parse` drops the digits after the milliseconds. Round up instead: sessions have whole milliseconds.
  return /\.\d{3}\d*[1-9]/.test(text) ? ms + 1 : ms
}
