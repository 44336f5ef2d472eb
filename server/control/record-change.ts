import { type AuditAction, audit } from '../store/audit.ts'
import type { Steps } from '../store/steps.ts'
import type { Call } from './call.ts'

/** Adds the change of this request to the audit log. Run it in the transaction of the change. */
export function recordChange(
  { context, key, requestId }: Call,
  action: AuditAction,
  object: string,
): Steps<void> {
  const { id: actor, org_id } = key
  return audit.add({ at: context.clock.now(), org_id, actor, action, object, request_id: requestId })
}
