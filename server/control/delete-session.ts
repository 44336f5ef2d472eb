import { ok } from '../answer.ts'
import { parts } from '../store/parts.ts'
import { sessions } from '../store/sessions.ts'
import type { Handler } from './call.ts'
import { findSession, noSuchSession } from './find-session.ts'

/** §4.6. Deletes the row first: after a crash, the clean-up removes bytes without a row. */
export const deleteSession: Handler = async (call) => {
  const found = await findSession(call)
  if (found.kind === 'refusal') return found
  const { store, bytes } = call.context
  const { id } = found.value
  const gone = await store.write(function* () {
    if ((yield* sessions.lock(id)) === undefined) return null
    const stored = yield* parts.ofSession(id)
    yield* sessions.remove(id)
    return stored
  })
  if (gone === null) return noSuchSession
  for (const part of gone) await bytes.remove(part.file)
  return ok({ id, object: 'session', deleted: true })
}
