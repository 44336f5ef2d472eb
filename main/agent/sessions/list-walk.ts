import { done, type Failure, failed, type Outcome } from '../domain/failure.ts'
import type { Answered, ServiceClient, SessionFilter, SessionPage } from '../ports/service.ts'

/**
 * Hard case: A list of sessions loops, breaks off or never ends.
 * Sluice retries such a list with backoff. Only a list that was read to its end proves that no session exists.
 */

const PAGE_SIZE = 500
/** Enough for a million sessions. A longer list counts as endless. */
const MAX_PAGES = 2_000
/** A service may filter each page, and so return a few empty pages in a row. */
const MAX_EMPTY_PAGES = 20

/** Reads a list (§4.5) page by page. After a failed request, the walk continues at the same page. */
export class ListWalk {
  readonly #service: ServiceClient
  readonly #filter: SessionFilter
  readonly #cursors = new Set<string>()
  /** The first session ID of each page. A repeated one reveals a loop even if each page has a new cursor. */
  readonly #firstIds = new Set<string>()
  #cursor: string | null = null
  #pages = 0
  #emptyPages = 0
  #isOver = false

  constructor(service: ServiceClient, filter: SessionFilter) {
    this.#service = service
    this.#filter = { ...filter, limit: PAGE_SIZE }
  }

  /** True if the last page has been read. */
  get isOver(): boolean {
    return this.#isOver
  }

  async next(signal: AbortSignal): Promise<Outcome<Answered<SessionPage>>> {
    const cursor = this.#cursor
    const answer = await this.#service.listSessions(
      { ...this.#filter, ...(cursor === null ? {} : { cursor }) },
      signal,
    )
    if (!answer.ok) return failed(cursor === null ? answer.failure : ofLaterPage(answer.failure))
    const { value: page, requestId } = answer.value
    const detail = this.#findEndlessReason(page)
    if (detail !== null) return failed(endlessFailure(detail, requestId))
    this.#pages += 1
    this.#cursor = page.nextCursor
    this.#isOver = page.nextCursor === null
    return done(answer.value)
  }

  #findEndlessReason({ sessions, nextCursor, isCutOff = false }: SessionPage): string | null {
    const firstId = sessions[0]?.id
    if (firstId !== undefined && this.#firstIds.has(firstId)) return 'a page was repeated'
    if (firstId !== undefined) this.#firstIds.add(firstId)
    if (isCutOff) return 'there are more pages, but no cursor'
    if (nextCursor === null) return null
    if (this.#cursors.has(nextCursor)) return 'a cursor was repeated'
    this.#cursors.add(nextCursor)
    this.#emptyPages = firstId === undefined ? this.#emptyPages + 1 : 0
    if (this.#emptyPages > MAX_EMPTY_PAGES) return 'too many empty pages'
    return this.#pages >= MAX_PAGES ? `more than ${MAX_PAGES} pages` : null
  }
}

/** If the service refuses only a later page, the cursor is the reason. It may have expired. */
const ofLaterPage = (failure: Failure): Failure =>
  failure.kind === 'rejected' || failure.kind === 'not-found'
    ? endlessFailure('the service refuses its own cursor', failure.requestId)
    : failure

const endlessFailure = (detail: string, requestId: string | null): Failure => ({
  kind: 'list-endless',
  detail: `the list of sessions cannot be read to its end: ${detail}`,
  requestId,
})
