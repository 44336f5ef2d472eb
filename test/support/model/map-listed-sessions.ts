import type { RemoteSession, ServiceClient, SessionPage } from '../../../main/agent/ports/service.ts'

/** A `listSessions` that changes each page of the service's answer (§4.5). */
export const mapListedPages =
  (client: ServiceClient, changePage: (page: SessionPage) => SessionPage): ServiceClient['listSessions'] =>
  async (...args) => {
    const answer = await client.listSessions(...args)
    return answer.ok
      ? { ok: true, value: { ...answer.value, value: changePage(answer.value.value) } }
      : answer
  }

/** A `listSessions` that changes each session in the service's answer. */
export const mapListedSessions = (
  client: ServiceClient,
  change: (session: RemoteSession) => RemoteSession,
): ServiceClient['listSessions'] =>
  mapListedPages(client, (page) => ({ ...page, sessions: page.sessions.map(change) }))
