import { type Checked, forbidden, notFound, value } from '../answer.ts'
import { type SessionRow, sessions } from '../store/sessions.ts'
import type { Call } from './call.ts'

/** §5.5: a session of a different organisation is forbidden, not hidden. */
export async function findSession(call: Call): Promise<Checked<SessionRow>> {
  const session = await call.context.store.read(sessions.get(call.id))
  if (session === undefined) return noSuchSession
  if (session.org_id !== call.key.org_id) {
    return forbidden('other_organisation', 'This session belongs to a different organisation.')
  }
  return value(session)
}

export const noSuchSession = notFound('session_not_found', 'There is no such session.')
