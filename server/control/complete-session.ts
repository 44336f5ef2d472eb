import { conflict, type Outcome, ok } from '../answer.ts'
import { partCount } from '../part-plan.ts'
import { sessionView } from '../session-view.ts'
import { hashRecording } from '../storage/hash-recording.ts'
import type { PartRow } from '../store/parts.ts'
import type { SessionRow } from '../store/sessions.ts'
import type { Call, Handler } from './call.ts'
import { findSession, noSuchSession } from './find-session.ts'
import { checkComplete } from './request-schemas.ts'

/** §4.3 */
export const completeSession: Handler = async (call) => {
  const found = findSession(call)
  if (found.kind === 'refusal') return found
  const session = found.value
  const checked = checkComplete(call.body, partCount(session))
  if (checked.kind === 'refusal') return checked
  if (session.status !== 'uploading') return alreadyCompleted
  const { completing, store } = call.context
  if (completing.has(session.id)) {
    return conflict('completion_in_progress', 'This session is already being completed.')
  }
  // No part may change while the bytes are verified.
  completing.add(session.id)
  try {
    const parts = store.parts.ofSession(session.id)
    const wrong = compareParts(session, parts, checked.value.parts)
    if (wrong !== null) return wrong.code === 'checksum_mismatch' ? await call.commit(() => wrong) : wrong
    const sha256 = await hashRecording(call.context.files, parts)
    if (sha256 === 'gone') return noSuchSession
    if (sha256 !== session.sha256) return await call.commit(() => wholeFileMismatch)
    return await startProcessing(call, session)
  } finally {
    completing.delete(session.id)
  }
}

const alreadyCompleted = conflict('session_not_uploading', 'This session was already completed.')

const wholeFileMismatch = conflict(
  'checksum_mismatch',
  'The SHA-256 of the uploaded bytes is not the one declared for the file. The parts are kept.',
)

function compareParts(
  session: SessionRow,
  stored: readonly PartRow[],
  given: readonly { readonly etag: string }[],
): ReturnType<typeof conflict> | null {
  if (stored.length !== partCount(session)) {
    const received = new Set(stored.map((part) => part.number))
    const missing = given.findIndex((_, index) => !received.has(index + 1)) + 1
    return conflict('parts_missing', `Part ${missing} was not received yet.`, `parts[${missing - 1}]`)
  }
  const wrong = stored.findIndex((part, index) => part.etag !== given[index]?.etag)
  if (wrong === -1) return null
  const message = `The etag of part ${wrong + 1} is not that of the bytes received. The parts are kept.`
  return conflict('checksum_mismatch', message, `parts[${wrong}].etag`)
}

async function startProcessing(call: Call, session: SessionRow): Promise<Outcome> {
  const { store, clock, limits, wakeProcessor } = call.context
  const dueAt = clock.now() + limits.processingDelayMs
  const outcome = await call.commit(() => {
    // The session may have been deleted while its bytes were read.
    if (!store.sessions.startProcessing(session.id, dueAt)) return noSuchSession
    return ok(sessionView({ ...session, status: 'processing' }))
  })
  wakeProcessor()
  return outcome
}
