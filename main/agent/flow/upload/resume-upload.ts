import { done, failed, type Outcome } from '../../domain/failure.ts'
import { findPartSizeProblem } from '../../domain/part-plan.ts'
import { planResume } from '../../domain/resume-plan.ts'
import { PART_SIZE_CHANGES, PART_SIZE_CHANGES_WITHIN_MS } from '../../domain/retry-limits.ts'
import { contentFailure } from '../../domain/session-content.ts'
import { isComplete, summaryOf, wasClosedWithoutContent } from '../../domain/session-summary.ts'
import type { SessionUrls } from '../../domain/session-urls.ts'
import type { Recording } from '../../journal/journal.ts'
import type { RemoteSession, ServiceClient } from '../../ports/service.ts'
import { rehashForPartSize } from '../../sessions/part-size.ts'
import { replaceClosedSession } from '../../sessions/replace-session.ts'
import { abandonSession } from '../../stage/apply-decision.ts'
import type { StageWorld } from '../../stage/stage.ts'
import { rangeOf } from './part-transfer.ts'

/**
 * Hard case: The session has the status `uploaded` or an unknown status, or it lists no missing part.
 * Sluice requests the completion. The service’s answer shows whether a part is missing.
 */

export type ResumeNeeds = 'journal' | 'hashing' | 'clock'

/**
 * Reads the session and returns the numbers of the parts to send, or null if the recording no longer uploads to this
 * session.
 */
export const resumeUpload = async (
  world: Pick<StageWorld, ResumeNeeds>,
  recording: Recording,
  urls: SessionUrls,
  service: ServiceClient,
  signal: AbortSignal,
): Promise<Outcome<readonly number[] | null>> => {
  const { journal } = world
  if (recording.sessionId === null) throw new Error('uploading without a session')
  const answer = await service.retrieveSession(recording.sessionId, signal)
  if (!answer.ok) return answer
  const { value: session, requestId } = answer.value
  const mismatch = contentFailure(session, recording, requestId)
  if (mismatch !== null) return failed(mismatch)
  if (wasClosedWithoutContent(session.status, recording.mismatches)) {
    replaceClosedSession(world, recording, requestId)
    return done(null)
  }
  if (isComplete(session.status)) {
    markComplete(world, recording, session, requestId)
    return done(null)
  }
  const { upload } = session
  if (upload !== null && upload.partSizeBytes !== recording.partSizeBytes) {
    const partSizeProblem = findPartSizeProblem(recording.identity.sizeBytes, upload.partSizeBytes)
    if (partSizeProblem !== null)
      return failed({ kind: 'parts-impossible', detail: partSizeProblem, requestId })
    const fromMs = world.clock.wallMs() - PART_SIZE_CHANGES_WITHIN_MS
    const changes = journal.views.countSteps(recording.id, { from: 'uploading', to: 'queued', fromMs })
    if (changes >= PART_SIZE_CHANGES) {
      const detail = `the part size changed ${changes} times within an hour`
      return failed({ kind: 'parts-impossible', detail, requestId })
    }
    rehashForPartSize(journal, recording, upload.partSizeBytes, requestId)
    return done(null)
  }
  // An empty list does not prove that the service has every part: only the completion does.
  const missingParts = upload?.parts ?? []
  const isOldUrlValid = urls.renew(upload, service.nowMs())
  const plan = planResume(
    journal.parts.of(recording.id).map((part) => ({
      number: part.number,
      hasUrl: part.url !== null,
      hasEtag: part.etag !== null,
      resend: part.resend,
    })),
    new Set(missingParts.map((part) => part.number)),
    isOldUrlValid,
  )
  if (plan.kind === 'give-up') {
    abandonSession(journal, recording, 'parts must be sent again but their URLs have expired', {
      deleteAtService: true,
      requestId,
    })
    return done(null)
  }
  journal.transaction(() => {
    journal.parts.forgetEtags(recording.id, plan.forgetEtags)
    journal.parts.setUrls(recording.id, missingParts)
    journal.recordings.patch(recording.id, { urlsExpireAtMs: urls.expiresAtMs })
  })
  for (const number of plan.guessEtags) {
    const guess = await guessEtag(world, recording, number)
    if (!guess.ok) return guess
    if (!guess.value) return done(null)
  }
  return done(plan.send)
}

const markComplete = (
  { journal }: Pick<StageWorld, 'journal'>,
  recording: Recording,
  session: RemoteSession,
  requestId: string | null,
): void =>
  journal.transaction(() => {
    journal.parts.forgetUrls(recording.id)
    journal.recordings.transition(
      recording.id,
      'uploading',
      { kind: 'completed' },
      {
        reason: 'the session is already complete',
        requestId,
        patch: { session: summaryOf(session) },
      },
    )
  })

/**
 * Replaces an ETag that a crash lost by the MD5, which most storages use. The completion shows whether the guess is
 * right. Returns false if the recording no longer uploads to this session.
 */
const guessEtag = async (
  { journal, hashing }: Pick<StageWorld, 'journal' | 'hashing'>,
  recording: Recording,
  number: number,
): Promise<Outcome<boolean>> => {
  const md5 = await hashing.digest('md5', recording.path, rangeOf(recording, number))
  if (!md5.ok) return md5
  if (journal.recordings.byId(recording.id)?.sessionId !== recording.sessionId) return done(false)
  journal.parts.markSent(recording.id, number, `"${md5.value}"`, { guessed: true })
  return done(true)
}
