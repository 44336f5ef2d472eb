import { ok } from '../answer.ts'
import { sessionView, uploadView } from '../session-view.ts'
import { meta } from '../store/meta.ts'
import { parts } from '../store/parts.ts'
import type { Handler } from './call.ts'
import { findSession } from './find-session.ts'

/** §4.4 */
export const retrieveSession: Handler = async (call) => {
  const result = await findSession(call)
  if (result.kind === 'refusal') return result
  const session = result.value
  if (session.status !== 'uploading') return ok(sessionView(session))
  const { store } = call.context
  const storedParts = await store.read(parts.ofSession(session.id))
  const received = new Set(storedParts.map((part) => part.number))
  const signing = { atMs: call.urlsSignedAtMs, epoch: await store.read(meta.urlEpoch()) }
  const upload = uploadView(call.context, session, received, signing)
  return ok({ ...sessionView(session), upload })
}
