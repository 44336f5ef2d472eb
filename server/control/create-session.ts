import { type Outcome, ok, type Refusal, unprocessable } from '../answer.ts'
import { createdView, uploadView } from '../session-view.ts'
import { meta } from '../store/meta.ts'
import { orgs } from '../store/orgs.ts'
import { sessions } from '../store/sessions.ts'
import type { Steps } from '../store/steps.ts'
import type { Handler } from './call.ts'
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
    created_at: context.clock.now(),
  }
  const epoch = await context.store.read(meta.urlEpoch())
  const signing = { atMs: call.urlsSignedAtMs, epoch }
  const body = createdView(session.id, uploadView(context, session, new Set(), signing))
  const insert = function* (): Steps<Outcome> {
    const refusal = yield* quotaRefusal(key.org_id, session.bytes)
    if (refusal !== null) throw new QuotaExceeded(refusal)
    yield* sessions.insert(session)
    return ok(body)
  }
  return call.commit(insert).catch((error: unknown) => {
    if (error instanceof QuotaExceeded) return error.refusal
    throw error
  })
}

/**
 * Rolls the transaction back, so the refusal is not stored. The same Idempotency-Key succeeds as soon as the quota allows
 * it.
 */
class QuotaExceeded extends Error {
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super()
    this.refusal = refusal
  }
}

/** §7: the request is valid, but the service cannot fulfil it. */
function* quotaRefusal(orgId: string, bytes: number): Steps<Refusal | null> {
  const quota = yield* orgs.get(orgId)
  if (quota === undefined || (quota.max_bytes === null && quota.max_sessions === null)) return null
  yield* orgs.lock(orgId)
  const used = yield* orgs.usage(orgId)
  if (quota.max_bytes !== null && used.bytes + bytes > quota.max_bytes)
    return unprocessable(
      'quota_exceeded',
      `The organisation may store ${quota.max_bytes} bytes; ${used.bytes} are in use.`,
    )
  if (quota.max_sessions !== null && used.sessions >= quota.max_sessions)
    return unprocessable('quota_exceeded', `The organisation may have ${quota.max_sessions} sessions.`)
  return null
}
