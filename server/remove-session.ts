import type { ByteStore } from './storage/byte-store.ts'
import { type DirectParts, removeDirectUploads } from './storage/direct-parts.ts'
import { parts } from './store/parts.ts'
import { type SessionRow, sessions } from './store/sessions.ts'
import type { Steps } from './store/steps.ts'
import type { Store } from './store/store.ts'

type Stores = {
  readonly store: Store
  readonly bytes: ByteStore
  readonly directParts?: DirectParts | null
}

/**
 * Deletes a session with its parts, events and bytes. It deletes the rows first, because the clean-up can remove bytes
 * without a row after a crash. False if the session does not exist or has a different status.
 */
export async function removeSession(
  { store, bytes, directParts = null }: Stores,
  id: string,
  /** Adds the deletion to the audit log, in the same transaction. */
  record: (session: SessionRow) => Steps<void>,
  requiredStatus?: SessionRow['status'],
): Promise<boolean> {
  const removedParts = await store.write(function* () {
    const session = yield* sessions.lock(id)
    if (session === undefined || (requiredStatus !== undefined && session.status !== requiredStatus))
      return null
    const storedParts = yield* parts.ofSession(id)
    yield* sessions.remove(id)
    yield* record(session)
    return storedParts
  })
  if (removedParts === null) return false
  for (const part of removedParts) await bytes.remove(part.file)
  await removeDirectUploads(directParts, id)
  return true
}
