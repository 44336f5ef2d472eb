import type { RemoteSession, ServiceClient, SessionPage } from '../../../main/agent/ports/service.ts'

/** Changes each page of the list (§4.5). */
export const changeList =
  (client: ServiceClient, changePage: (page: SessionPage) => SessionPage): ServiceClient['listSessions'] =>
  async (...args) => {
    const answer = await client.listSessions(...args)
    return answer.ok
      ? { ok: true, value: { ...answer.value, value: changePage(answer.value.value) } }
      : answer
  }

/** Changes each session in the list. */
export const changeListedSessions = (
  client: ServiceClient,
  change: (session: RemoteSession) => RemoteSession,
): ServiceClient['listSessions'] =>
  changeList(client, (page) => ({ ...page, sessions: page.sessions.map(change) }))
