import { completionClaimName } from '../completion-claim.ts'
import { partBytes, partCount } from '../part-plan.ts'
import { type PartRow, parts } from '../store/parts.ts'
import { type SessionRow, sessions } from '../store/sessions.ts'
import type { Steps } from '../store/steps.ts'
import type { Store } from '../store/store.ts'
import type { ByteStore } from './byte-store.ts'
import type { PartAddress, SigningTerms } from './signing-terms.ts'

/** A part that a station uploaded directly to the storage. */
export type DirectUpload = {
  readonly number: number
  readonly bytes: number
  /** The ETag that the storage sent to the station. */
  readonly etag: string
}

/**
 * Uploads that bypass the server. The server signs a URL before it knows the checksum of the part. So the signature
 * does not cover the checksum, and the storage must compare the bytes with the checksum header.
 */
export type DirectParts = {
  /** The URL is valid only for this part, this number of bytes and the lifetime in `terms`. */
  signUrl(part: PartAddress, bytes: number, terms: SigningTerms): string
  uploads(sessionId: string): AsyncIterable<DirectUpload>
  /**
   * Copies an upload to `name`, which the station cannot overwrite. False if the upload was replaced or removed
   * meanwhile.
   */
  copy(sessionId: string, upload: DirectUpload, name: string): Promise<boolean>
  remove(sessionId: string, number: number): Promise<void>
  /** Throws if the storage refuses a signed part, or accepts a part with a wrong checksum. */
  verify(): Promise<void>
}

const concurrentCopies = 8

type Stores = { readonly store: Store; readonly bytes: ByteStore; readonly directParts: DirectParts | null }

/**
 * Records the parts that a station uploaded directly. A part must not change after the server has verified it, but the
 * station can overwrite an upload until its URL expires. So the storage copies each upload first. The upload stays for
 * now: the station may have replaced it, and removing it would delete the new upload.
 */
export async function adoptDirectParts(stores: Stores, session: SessionRow): Promise<void> {
  const { directParts } = stores
  if (directParts === null) return
  const storedParts = await stores.store.read(parts.ofSession(session.id))
  const adoptedEtags = new Map(storedParts.map(({ number, etag }) => [number, etag]))
  const uploads = directParts.uploads(session.id)[Symbol.asyncIterator]()
  const adoptRest = async () => {
    for (;;) {
      const next = await uploads.next()
      if (next.done === true) return
      const upload = next.value
      if (adoptedEtags.get(upload.number) === upload.etag) continue
      await adopt({ ...stores, directParts }, session, upload)
    }
  }
  await Promise.all(Array.from({ length: concurrentCopies }, adoptRest))
}

/**
 * Call this function after a session is completed or deleted. The clean-up removes uploads that arrive later or that a
 * crash left behind.
 */
export async function removeDirectUploads(directParts: DirectParts | null, sessionId: string): Promise<void> {
  if (directParts === null) return
  for await (const { number } of directParts.uploads(sessionId)) await directParts.remove(sessionId, number)
}

async function adopt(
  { store, bytes, directParts }: Stores & { readonly directParts: DirectParts },
  session: SessionRow,
  upload: DirectUpload,
): Promise<void> {
  const { number } = upload
  if (number > partCount(session) || upload.bytes !== partBytes(session, number)) return
  const name = bytes.newName(session.id, number)
  let obsoleteName: string | null = name
  try {
    if (!(await directParts.copy(session.id, upload, name))) return
    const row = { session_id: session.id, number, file: name, bytes: upload.bytes, etag: upload.etag }
    // The server did not see these bytes, so their SHA-256 is unknown. Completion verifies the whole file.
    const outcome = await store.write(() => recordDirectPart(store, { ...row, sha256: '' }))
    if (outcome === 'refused') return
    obsoleteName = outcome.obsoleteName
  } finally {
    if (obsoleteName !== null) await bytes.remove(obsoleteName)
  }
}

/** Checks the session again: it may have been completed or deleted during the copy. */
function* recordDirectPart(
  store: Store,
  row: PartRow,
): Steps<'refused' | { readonly obsoleteName: string | null }> {
  const session = yield* sessions.lock(row.session_id)
  if (session?.status !== 'uploading') return 'refused'
  const earlierPart = yield* parts.get(row.session_id, row.number)
  // A different request adopted the same upload meanwhile.
  if (earlierPart?.etag === row.etag) return { obsoleteName: row.file }
  if (yield* store.claims.isTaken(completionClaimName(row.session_id))) return 'refused'
  yield* parts.put(row)
  return { obsoleteName: earlierPart?.file ?? null }
}
