import { ok } from '../answer.ts'
import type { Handler } from './call.ts'
import { findSession, noSuchSession } from './find-session.ts'

/** §4.6. Deletes the row first: after a crash, the next start removes files without a row. */
export const deleteSession: Handler = async (call) => {
  const found = findSession(call)
  if (found.kind === 'refusal') return found
  const { store, files } = call.context
  const { id } = found.value
  const gone = await store.write(() => {
    const parts = store.parts.ofSession(id)
    return store.sessions.remove(id) ? parts : null
  })
  if (gone === null) return noSuchSession
  for (const part of gone) await files.remove(part.file)
  return ok({ id, object: 'session', deleted: true })
}
