import { ok } from '../answer.ts'
import { sessionView, uploadView } from '../session-view.ts'
import { adoptDirectParts } from '../storage/direct-parts.ts'
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
  const { store, signer, limits } = call.context
  await adoptDirectParts(call.context, session)
  const storedParts = await store.read(parts.ofSession(session.id))
  const receivedNumbers = new Set(storedParts.map((part) => part.number))
  const epoch = await store.read(meta.urlEpoch())
  const signing = { atMs: call.urlsSignedAtMs, epoch, lifetimeS: limits.urlLifetimeS }
  const upload = uploadView(signer, session, receivedNumbers, signing)
  return ok({ ...sessionView(session), upload })
}
