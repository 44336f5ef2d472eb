import type { IncomingMessage } from 'node:http'
import { completionClaimName } from '../completion-claim.ts'
import type { ServiceContext } from '../context.ts'
import type { PartHook } from '../hooks.ts'
import { type PartRow, parts } from '../store/parts.ts'
import { sessions } from '../store/sessions.ts'
import type { Steps } from '../store/steps.ts'
import type { Store } from '../store/store.ts'
import type { Permit } from './permit-part.ts'
import { type StorageError, storageErrors } from './storage-error.ts'

export type StoreResult =
  | { readonly kind: 'stored'; readonly etag: string }
  | { readonly kind: 'refused'; readonly error: StorageError }
  | { readonly kind: 'aborted' }

/** Writes the bytes first, then the row. So even after a kill, the part is either complete or absent. */
export async function storePart(
  context: ServiceContext,
  request: IncomingMessage,
  permit: Extract<Permit, { kind: 'granted' }>,
  hook: PartHook,
): Promise<StoreResult> {
  const { bytes, store, limits } = context
  const { sessionId, number } = permit.part
  const name = bytes.newName(sessionId, number)
  // The bytes to delete at the end: the new bytes until a row names them, then the bytes that they replace.
  let obsoleteName: string | null = name
  try {
    const expected = { bytes: permit.bytes, sha256: permit.sha256, wantsMd5: limits.md5Etags }
    const receiveResult = await bytes.receive(name, request, expected)
    if (receiveResult.kind === 'aborted') return receiveResult
    hook.onWholeBody(permit.part)
    if (receiveResult.kind === 'bad-digest') return { kind: 'refused', error: storageErrors.badDigest }
    const sha256 = permit.sha256.toString('hex')
    const row: PartRow = {
      session_id: sessionId,
      number,
      file: name,
      bytes: permit.bytes,
      sha256,
      etag: `"${receiveResult.md5 ?? sha256.slice(0, 32)}"`,
    }
    const outcome = await store.write(() => recordPart(store, row))
    if (outcome.kind === 'refused') return outcome
    obsoleteName = outcome.obsoleteName
    context.hashPrefix(permit.session)
    return { kind: 'stored', etag: outcome.etag }
  } finally {
    if (obsoleteName !== null) await bytes.remove(obsoleteName)
  }
}

type RecordResult =
  | { readonly kind: 'recorded'; readonly etag: string; readonly obsoleteName: string | null }
  | { readonly kind: 'refused'; readonly error: StorageError }

/** Checks the session again: it may have been completed or deleted during the upload. */
function* recordPart(store: Store, row: PartRow): Steps<RecordResult> {
  const session = yield* sessions.lock(row.session_id)
  if (session === undefined) return { kind: 'refused', error: storageErrors.noSuchUpload }
  const earlierPart = yield* parts.get(row.session_id, row.number)
  // A client that lost the answer sends the part again. Return the same ETag and keep the first copy.
  if (earlierPart?.sha256 === row.sha256)
    return { kind: 'recorded', etag: earlierPart.etag, obsoleteName: row.file }
  if (session.status !== 'uploading' || (yield* store.claims.isTaken(completionClaimName(session.id)))) {
    return { kind: 'refused', error: storageErrors.notUploading }
  }
  yield* parts.put(row)
  return { kind: 'recorded', etag: row.etag, obsoleteName: earlierPart?.file ?? null }
}
