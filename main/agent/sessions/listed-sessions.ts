import { done, type Outcome } from '../domain/failure.ts'
import { type ListWindow, MIN_LISTED_SESSIONS } from '../domain/list-window.ts'
import type { RemoteSession, ServiceClient } from '../ports/service.ts'
import { ListWalk } from './list-walk.ts'

export type Page = { readonly sessions: readonly RemoteSession[]; readonly requestId: string | null }

/**
 * Yields pages of the list (§4.5) until they have shown all wanted sessions. Stops early after a page with few wanted
 * sessions, because polling the others one by one is then about as cheap.
 */
export async function* listedSessions(
  window: ListWindow<{ readonly sessionId: string | null }>,
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
    const missingBefore = missing.size
    for (const { id } of value.sessions) missing.delete(id)
    if (missing.size === 0 || missingBefore - missing.size < MIN_LISTED_SESSIONS) return
  }
}
