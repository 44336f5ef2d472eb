import type { Bytes } from './storage/bytes.ts'
import { parts } from './store/parts.ts'
import { type SessionRow, sessions } from './store/sessions.ts'
import type { Store } from './store/store.ts'

type Places = { readonly store: Store; readonly bytes: Bytes }

/**
 * Deletes a session with its parts, events and bytes. It deletes the rows first: after a crash, the clean-up removes bytes
 * without a row. False if the session is gone or no longer has the expected status.
 */
export async function removeSession(
  { store, bytes }: Places,
  id: string,
  onlyIn?: SessionRow['status'],
): Promise<boolean> {
  const gone = await store.write(function* () {
    const session = yield* sessions.lock(id)
    if (session === undefined || (onlyIn !== undefined && session.status !== onlyIn)) return null
    const stored = yield* parts.ofSession(id)
    yield* sessions.remove(id)
    return stored
  })
  for (const part of gone ?? []) await bytes.remove(part.file)
  return gone !== null
}
