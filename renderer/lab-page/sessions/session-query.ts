import type { List, Session } from '../../../shared/contract/control-api.ts'
import type { SessionSummary } from '../../../shared/status/status.ts'
import { parseTypedDay } from '../../data/typed-day.ts'
import { noSessionFilters, type SessionFilters } from '../../features/sessions/session-filters.ts'
import { type SearchAnswer, summaryOf } from '../data/answers.ts'
import type { Query, Server } from '../data/server.ts'

export type LabFilters = SessionFilters & { readonly search: string }

export const noFilters: LabFilters = { ...noSessionFilters, search: '' }

export type SessionPage = {
  readonly sessions: readonly SessionSummary[]
  readonly nextCursor: string | null
  /** How far back in time the last request searched. Null if it searched all sessions or filled the page. */
  readonly searchedTo: string | null
}

const PAGE_SIZE = 50
/** One request searches at most 5,000 sessions. After this many requests, the user decides whether to continue. */
const MAX_REQUESTS = 20

const queryOf = (filters: LabFilters, cursor: string | null): Query => ({
  limit: String(PAGE_SIZE),
  site: filters.site === '' ? null : filters.site,
  status: filters.status === 'any' ? null : filters.status,
  'created[gte]': parseTypedDay(filters.from),
  'created[lt]': parseTypedDay(filters.to, 1),
  cursor,
})

/** Loads one page of sessions. Uses the search if there is a search text, and the list (§4.5) if not. */
export const loadSessions = async (
  server: Server,
  filters: LabFilters,
  cursor: string | null,
): Promise<SessionPage> => {
  const search = filters.search.trim()
  if (search !== '') return searchSessions(server, filters, search, cursor)
  const list = await server.get<List<Session>>('/v1/sessions', queryOf(filters, cursor))
  return { sessions: list.data.map(summaryOf), nextCursor: list.next_cursor ?? null, searchedTo: null }
}

/** Sends requests until the page is full, because each request searches only a limited number of sessions. */
const searchSessions = async (
  server: Server,
  filters: LabFilters,
  search: string,
  firstCursor: string | null,
): Promise<SessionPage> => {
  const found: SessionSummary[] = []
  let cursor = firstCursor
  for (let request = 1; ; request += 1) {
    // Request only what the page still needs. The next page begins after the last session of the answer.
    const limit = String(PAGE_SIZE - found.length)
    const answer = await server.get<SearchAnswer>('/page/sessions', {
      ...queryOf(filters, cursor),
      limit,
      search,
    })
    found.push(...answer.data.map(summaryOf))
    cursor = answer.next_cursor ?? null
    const searchedTo = answer.searched_to ?? null
    if (cursor === null || found.length >= PAGE_SIZE || request >= MAX_REQUESTS)
      return { sessions: found, nextCursor: cursor, searchedTo }
  }
}
