import { type Outcome, type Refusal, unprocessable } from '../answer.ts'
import { createdBody } from '../session-view.ts'
import { meta } from '../store/meta.ts'
import { type OrgRow, orgs } from '../store/orgs.ts'
import { sessions } from '../store/sessions.ts'
import type { Steps } from '../store/steps.ts'
import type { Handler } from './call.ts'
import { recordChange } from './record-change.ts'
import { checkCreateSession } from './request-schemas.ts'

/** §4.1 */
export const createSession: Handler = async (call) => {
  const { context, key } = call
  const request = checkCreateSession(call.body, context.limits.minPartBytes)
  if (request.kind === 'refusal') return request
  const input = request.value
  const session = {
    ...input,
    id: context.makeId('ses'),
    org_id: key.org_id,
    device: input.device ?? null,
    notes: input.notes ?? null,
  }
  const epoch = await context.store.read(meta.urlEpoch())
  const { id, bytes, part_size } = session
  const created = {
    session: { id, bytes, part_size },
    signed: { atMs: call.urlsSignedAtMs, epoch, lifetimeS: context.limits.urlLifetimeS },
    uploadUrl: context.signer.uploadUrl,
  }
  const body = createdBody(context.signer, created)
  const insert = function* (): Steps<Outcome> {
    // The lock prevents two requests from using the same rest of the quota. It also makes sessions visible in the order
    // of the list, so that a client that reads page by page misses none.
    const org = (yield* orgs.lock(key.org_id))!
    const exceeded = quotaRefusal(org, session.bytes)
    if (exceeded !== null) return exceeded
    yield* sessions.insert({ ...session, created_at: context.clock.now() })
    yield* recordChange(call, 'session.create', session.id)
    return { kind: 'ok', body, created }
  }
  return call.commit(insert)
}

/** §7: the request is valid, but the service cannot fulfil it. */
function quotaRefusal(org: OrgRow, bytes: number): Refusal | null {
  const { max_bytes, max_sessions, used_bytes, used_sessions } = org
  if (max_bytes !== null && used_bytes + bytes > max_bytes)
    return unprocessable(
      'quota_exceeded',
      `The organisation may store ${max_bytes} bytes; ${used_bytes} are in use.`,
    )
  if (max_sessions !== null && used_sessions + 1 > max_sessions)
    return unprocessable('quota_exceeded', `The organisation may have ${max_sessions} sessions.`)
  return null
}
