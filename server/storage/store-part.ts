import type { IncomingMessage } from 'node:http'
import type { SandboxContext } from '../context.ts'
import type { PartHook } from '../hooks.ts'
import type { PartRow } from '../store/parts.ts'
import type { Permit } from './permit-part.ts'
import { receiveBody } from './receive-body.ts'
import { type StorageError, storageErrors } from './storage-error.ts'

export type Stored =
  | { readonly kind: 'stored'; readonly etag: string }
  | { readonly kind: 'refused'; readonly error: StorageError }
  | { readonly kind: 'aborted' }

/**
 * Writes the file first, then the row, then the answer. After a kill at any point, the part is complete or absent.
 */
export async function storePart(
  context: SandboxContext,
  request: IncomingMessage,
  permit: Extract<Permit, { kind: 'granted' }>,
  hook: PartHook,
): Promise<Stored> {
  const { files, store, limits } = context
  const { sessionId, number } = permit.part
  const name = files.newName(sessionId, number)
  const handle = await files.create(name)
  let superseded: string | null = name
  try {
    const received = await receiveBody(request, { file: handle, wantMd5: limits.md5Etags })
    if (received === null) return { kind: 'aborted' }
    hook.wholeBody(permit.part)
    if (!received.sha256.equals(permit.sha256)) return { kind: 'refused', error: storageErrors.badDigest }
    await files.syncNames()
    const sha256 = received.sha256.toString('hex')
    const row: PartRow = {
      session_id: sessionId,
      number,
      file: name,
      bytes: permit.bytes,
      sha256,
      etag: `"${received.md5 ?? sha256.slice(0, 32)}"`,
    }
    const outcome = await store.write(() => recordPart(context, row))
    if (outcome.kind === 'refused') return outcome
    superseded = outcome.superseded
    return { kind: 'stored', etag: outcome.etag }
  } finally {
    await handle.close()
    if (superseded !== null) await files.remove(superseded)
  }
}

type Recorded =
  | { readonly kind: 'recorded'; readonly etag: string; readonly superseded: string | null }
  | { readonly kind: 'refused'; readonly error: StorageError }

/** Checks the session again: it may have been completed or deleted during the upload. */
function recordPart(context: SandboxContext, row: PartRow): Recorded {
  const { store, completing } = context
  const session = store.sessions.get(row.session_id)
  if (session === undefined) return { kind: 'refused', error: storageErrors.noSuchUpload }
  const known = store.parts.get(row.session_id, row.number)
  // A client that lost the answer sends the part again. It gets the same ETag, and the first copy stays.
  if (known?.sha256 === row.sha256) return { kind: 'recorded', etag: known.etag, superseded: row.file }
  if (session.status !== 'uploading' || completing.has(session.id)) {
    return { kind: 'refused', error: storageErrors.notUploading }
  }
  store.parts.put(row)
  return { kind: 'recorded', etag: row.etag, superseded: known?.file ?? null }
}
