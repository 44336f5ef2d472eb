import { ok } from '../answer.ts'
import { sessionView, uploadView } from '../session-view.ts'
import type { Handler } from './call.ts'
import { findSession } from './find-session.ts'

/** §4.4 */
export const retrieveSession: Handler = (call) => {
  const found = findSession(call)
  if (found.kind === 'refusal') return found
  const session = found.value
  if (session.status !== 'uploading') return ok(sessionView(session))
  const received = new Set(call.context.store.parts.ofSession(session.id).map((part) => part.number))
  const upload = uploadView(call.context, session, received, call.urlsSignedAtMs)
  return ok({ ...sessionView(session), upload })
}
