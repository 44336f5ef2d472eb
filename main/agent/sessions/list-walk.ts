import { done, type Failure, failed, type Outcome } from '../domain/failure.ts'
import type { Answered, ServiceClient, SessionFilter, SessionPage } from '../ports/service.ts'

const PAGE_SIZE = 500
/** A million sessions. A list that goes on after that is taken for one that never ends. */
const MOST_PAGES = 2_000
/** A service that filters after it has cut its pages may answer a few empty ones. */
const MOST_EMPTY_PAGES = 20

/**
 * Reads a list (§4.5) page by page. A list that leads back to a page it has shown, breaks off or never ends is a
 * failure: what it did not show may be there all the same. After a failed request the walk goes on where it stood.
 */
export class ListWalk {
  readonly #service: ServiceClient
  readonly #filter: SessionFilter
  readonly #cursors = new Set<string>()
  /** A service may give each page a new cursor and lead in a circle: the first session of a page tells. */
  readonly #firstIds = new Set<string>()
  #cursor: string | null = null
  #pages = 0
  #emptyPages = 0
  #isOver = false

  constructor(service: ServiceClient, filter: SessionFilter) {
    this.#service = service
    this.#filter = { ...filter, limit: PAGE_SIZE }
  }

  /** The last page has been read. */
  get isOver(): boolean {
    return this.#isOver
  }

  async next(signal: AbortSignal): Promise<Outcome<Answered<SessionPage>>> {
    const cursor = this.#cursor
    const answer = await this.#service.listSessions(
      { ...this.#filter, ...(cursor === null ? {} : { cursor }) },
      signal,
    )
    if (!answer.ok) return answer
    const { value: page, requestId } = answer.value
    const detail = this.#whyEndless(page)
    if (detail !== null) return failed(endless(detail, requestId))
    this.#pages += 1
    this.#cursor = page.nextCursor
    this.#isOver = page.nextCursor === null
    return done(answer.value)
  }

  #whyEndless({ sessions, nextCursor, isCutOff = false }: SessionPage): string | null {
    const firstId = sessions[0]?.id
    if (firstId !== undefined && this.#firstIds.has(firstId)) return 'a page came twice'
    if (firstId !== undefined) this.#firstIds.add(firstId)
    if (isCutOff) return 'there are more pages, and no cursor leads to them'
    if (nextCursor === null) return null
    if (this.#cursors.has(nextCursor)) return 'a cursor came twice'
    this.#cursors.add(nextCursor)
    this.#emptyPages = firstId === undefined ? this.#emptyPages + 1 : 0
    if (this.#emptyPages > MOST_EMPTY_PAGES) return 'page after page is empty'
    return this.#pages >= MOST_PAGES ? `it goes on after ${MOST_PAGES} pages` : null
  }
}

const endless = (detail: string, requestId: string | null): Failure => ({
  kind: 'list-endless',
  detail: `the list of sessions does not come to its end: ${detail}`,
  requestId,
})
