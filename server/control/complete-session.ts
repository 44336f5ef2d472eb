import { conflict, type Outcome, ok } from '../answer.ts'
import { completionClaimName } from '../completion-claim.ts'
import { partCount } from '../part-plan.ts'
import { sessionView } from '../session-view.ts'
import { type ByteStore, MissingBytesError } from '../storage/byte-store.ts'
import { adoptDirectParts, removeDirectUploads } from '../storage/direct-parts.ts'
import { hashRecording } from '../storage/hash-recording.ts'
import { loadPrefix } from '../storage/prefix-hash.ts'
import { type PartRow, parts } from '../store/parts.ts'
import { prefixHashes } from '../store/prefix-hashes.ts'
import { type SessionRow, sessions } from '../store/sessions.ts'
import type { Call, Handler } from './call.ts'
import { findSession, noSuchSession } from './find-session.ts'
import { recordChange } from './record-change.ts'
import { checkComplete } from './request-schemas.ts'

/** §4.3 */
export const completeSession: Handler = async (call) => {
  const result = await findSession(call)
  if (result.kind === 'refusal') return result
  const session = result.value
  const request = checkComplete(call.body, partCount(session))
  if (request.kind === 'refusal') return request
  if (session.status !== 'uploading') return alreadyCompleted
  await adoptDirectParts(call.context, session)
  const { store, bytes, metrics } = call.context
  const release = await store.claims.take(completionClaimName(session.id))
  if (release === null) {
    return completionInProgress
  }
  try {
    const storedParts = await store.read(parts.ofSession(session.id))
    const mismatch = compareParts(session, storedParts, request.value.parts)
    // The parts are also missing if the session was deleted after `findSession`.
    if (mismatch !== null && (await store.read(sessions.get(session.id))) === undefined) return noSuchSession
    if (mismatch !== null)
      return mismatch.code === 'checksum_mismatch' ? await storeRefusal(call, mismatch) : mismatch
    const prefixRow = storedParts.length === 1 ? undefined : await store.read(prefixHashes.get(session.id))
    const prefix = await loadPrefix(prefixRow, storedParts)
    const recordingHash = await hashRecording(bytes, storedParts, prefix)
    if (recordingHash === 'gone') return await forgetLostParts(call, session, storedParts)
    metrics.countCompletion(recordingHash.bytesRead)
    if (recordingHash.sha256 !== session.sha256) return await storeRefusal(call, wholeFileMismatch)
    return await startProcessing(call, session, storedParts)
  } finally {
    await release()
  }
}

const completionInProgress = conflict('completion_in_progress', 'This session is already being completed.')

const partsChanged = conflict(
  'completion_in_progress',
  'A part changed during the completion. Complete the session again.',
)

const alreadyCompleted = conflict('session_not_uploading', 'This session was already completed.')

const wholeFileMismatch = conflict(
  'checksum_mismatch',
  'The SHA-256 of the uploaded bytes differs from the SHA-256 declared for the file. The parts are kept.',
)

function compareParts(
  session: SessionRow,
  storedParts: readonly PartRow[],
  declaredParts: readonly { readonly etag: string }[],
): ReturnType<typeof conflict> | null {
  if (storedParts.length !== partCount(session)) {
    const receivedNumbers = new Set(storedParts.map((part) => part.number))
    const missingNumber = declaredParts.findIndex((_, index) => !receivedNumbers.has(index + 1)) + 1
    return partMissing(missingNumber, 'has not arrived yet')
  }
  const wrongIndex = storedParts.findIndex((part, index) => part.etag !== declaredParts[index]?.etag)
  if (wrongIndex === -1) return null
  const message = `The etag of part ${wrongIndex + 1} does not match the bytes received. The parts are kept.`
  return conflict('checksum_mismatch', message, `parts[${wrongIndex}].etag`)
}

function partMissing(number: number, reason: string): ReturnType<typeof conflict> {
  return conflict('parts_missing', `Part ${number} ${reason}.`, `parts[${number - 1}]`)
}

/**
 * Removes the rows of parts whose bytes are gone, so that the client sends these parts again (§4.4). The storage lost
 * the bytes, for example because an operator restored a backup, or the session was deleted.
 */
async function forgetLostParts(
  { context, id }: Call,
  session: SessionRow,
  storedParts: readonly PartRow[],
): Promise<Outcome> {
  const { store, bytes, log } = context
  const lostParts: PartRow[] = []
  for (const part of storedParts) if (await isLost(bytes, part)) lostParts.push(part)
  const isDeleted = await store.write(function* () {
    for (const part of lostParts) yield* parts.remove(part)
    return (yield* sessions.get(id)) === undefined
  })
  if (isDeleted) return noSuchSession
  // If no bytes are lost, a part was replaced after its row was read, because a lost connection to the database ended
  // the claim.
  const [first] = lostParts
  if (first === undefined) return partsChanged
  log(`${id} lost the bytes of ${lostParts.length} of ${partCount(session)} parts; they must be sent again`)
  return partMissing(first.number, 'is lost; send it again')
}

async function isLost(bytes: ByteStore, { file, bytes: size }: PartRow): Promise<boolean> {
  try {
    for await (const _ of bytes.chunks(file, size === 0 ? undefined : { start: 0, end: 1 })) break
    return false
  } catch (error) {
    if (error instanceof MissingBytesError) return true
    throw error
  }
}

/** Stores the refusal as the answer to this Idempotency-Key. */
function storeRefusal(call: Call, refusal: Outcome): Promise<Outcome> {
  // biome-ignore lint/correctness/useYield: only the answer is stored
  return call.commit(function* () {
    return refusal
  })
}

async function startProcessing(
  call: Call,
  session: SessionRow,
  verifiedParts: readonly PartRow[],
): Promise<Outcome> {
  const { clock, limits, directParts, log, wakeProcessor } = call.context
  const uploadedAt = clock.now()
  const outcome = await call.commit(function* () {
    // The session may have been deleted or completed while its bytes were read.
    const currentSession = yield* sessions.lock(session.id)
    if (currentSession === undefined) return noSuchSession
    if (currentSession.status !== 'uploading') return alreadyCompleted
    // Compare the parts again: they may have changed if a lost connection to the database ended the claim.
    const currentParts = yield* parts.ofSession(session.id)
    if (currentParts.some((part, index) => part.file !== verifiedParts[index]?.file)) return partsChanged
    yield* sessions.startProcessing(session.id, uploadedAt, uploadedAt + limits.processingDelayMs)
    if (currentParts.length > 1) yield* prefixHashes.remove(session.id)
    yield* recordChange(call, 'session.complete', session.id)
    return ok(sessionView({ ...session, status: 'processing' }))
  })
  wakeProcessor()
  // The station does not wait for this removal.
  if (outcome.kind === 'ok')
    removeDirectUploads(directParts, session.id).catch((error: unknown) =>
      log(`the direct uploads of ${session.id} were not removed: ${String(error)}`),
    )
  return outcome
}
