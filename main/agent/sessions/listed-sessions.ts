import { done, type Outcome } from '../domain/failure.ts'
import { LIST_FROM, type Listed } from '../domain/list-window.ts'
import type { RemoteSession, ServiceClient } from '../ports/service.ts'
import { ListWalk } from './list-walk.ts'

export type Page = { readonly sessions: readonly RemoteSession[]; readonly requestId: string | null }

/**
 * The pages of the list (§4.5) that may show the wanted sessions, until all were shown. One that shows only a few is the
 * last: what is then still wanted is asked about one by one, for no more requests.
 */
export async function* listedSessions(
  window: Listed<{ readonly sessionId: string | null }>,
  service: ServiceClient,
  signal: AbortSignal,
): AsyncGenerator<Outcome<Page>, void> {
  const { site, span, wanted } = window
  const missing = new Set(wanted.map(({ sessionId }) => sessionId))
  const walk = new ListWalk(service, {
    site,
    ...(span === null ? {} : { createdFrom: span.from, createdBefore: span.before }),
  })
  while (!walk.isOver) {
    const answer = await walk.next(signal)
    if (!answer.ok) {
      yield answer
      return
    }
    const { value, requestId } = answer.value
    yield done({ sessions: value.sessions, requestId })
    const before = missing.size
    for (const { id } of value.sessions) missing.delete(id)
    if (missing.size === 0 || before - missing.size < LIST_FROM) return
  }
}
