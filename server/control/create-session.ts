import { ok } from '../answer.ts'
import { createdView, uploadView } from '../session-view.ts'
import { meta } from '../store/meta.ts'
import { sessions } from '../store/sessions.ts'
import type { Handler } from './call.ts'
import { checkCreateSession } from './request-schemas.ts'

/** §4.1 */
export const createSession: Handler = async (call) => {
  const { context, key } = call
  const checked = checkCreateSession(call.body, context.limits.minPartBytes)
  if (checked.kind === 'refusal') return checked
  const input = checked.value
  const session = {
    ...input,
    id: context.makeId('ses'),
    org_id: key.org_id,
    device: input.device ?? null,
    notes: input.notes ?? null,
    created_at: context.clock.now(),
  }
  const epoch = await context.store.read(meta.urlEpoch())
  const signed = { atMs: call.urlsSignedAtMs, epoch }
  const body = createdView(session.id, uploadView(context, session, new Set(), signed))
  return call.commit(function* () {
    yield* sessions.insert(session)
    return ok(body)
  })
}
