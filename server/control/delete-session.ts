import { ok } from '../answer.ts'
import { removeSession } from '../remove-session.ts'
import type { Handler } from './call.ts'
import { findSession, noSuchSession } from './find-session.ts'
import { recordChange } from './record-change.ts'

/** §4.6 */
export const deleteSession: Handler = async (call) => {
  const result = await findSession(call)
  if (result.kind === 'refusal') return result
  const { id } = result.value
  const record = () => recordChange(call, 'session.delete', id)
  if (!(await removeSession(call.context, id, record))) return noSuchSession
  return ok({ id, object: 'session', deleted: true })
}
