import type { CreateSessionRequest } from '../../../../shared/contract/control-api.ts'
import type { Failure } from '../../domain/failure.ts'
import { findPartSizeProblem } from '../../domain/part-plan.ts'
import { KEY_CONFLICT_RETRIES, UNREADABLE_CREATION_RETRIES } from '../../domain/retry-limits.ts'
import { contentFailure } from '../../domain/session-content.ts'
import type { Journal, Recording } from '../../journal/journal.ts'
import type { CreatedSession, ServiceClient } from '../../ports/service.ts'
import { rehashForPartSize } from '../../sessions/part-size.ts'
import { applyDecision } from '../../stage/apply-decision.ts'
import type { StageWorld } from '../../stage/stage.ts'
import { NO_INTENT, REFUSED_INTENT, SEARCH_INTENT } from './creation-intent.ts'
import { resolveLabels } from './creation-labels.ts'
import { bodyOf, isUnchanged } from './creation-request.ts'

/**
 * Hard case: The service refuses a field of the creation.
 * Nothing was created. The next attempt reads the settings again, and starts as soon as they change. If Sluice may have
 * sent the same request before, it first searches for a session of that request.
 */

/**
 * Hard case: The answer to a creation is unreadable.
 * A retry with the same idempotency key gets the original answer again (§8). This helps if the answer was damaged on
 * the way. After three retries, Sluice searches for the session by content. If it finds none, it uses a new key.
 */

export type CreateSessionNeeds =
  | 'journal'
  | 'station'
  | 'clock'
  | 'random'
  | 'sessionsWithNewUrls'
  | 'folderOf'
  | 'files'
  | 'hostName'
  | 'paths'
type World = Pick<StageWorld, CreateSessionNeeds>

/**
 * Sends the stored intent, and records the new session or the failure. `isRepeated`: whether an earlier attempt may
 * have sent this request. `startedAtMs`: when the agent started.
 */
export const createSession = async (
  world: World,
  recording: Recording,
  service: ServiceClient,
  {
    signal,
    isRepeated,
    startedAtMs,
  }: { readonly signal: AbortSignal; readonly isRepeated: boolean; readonly startedAtMs: number },
): Promise<void> => {
  const { journal } = world
  const { createKey, createBody } = recording
  if (createKey === null || createBody === null) throw new Error('no intent was written')
  const isFromEarlierRun = (recording.createKeyAtMs ?? 0) <= startedAtMs
  const body = JSON.parse(createBody) as CreateSessionRequest
  const answer = await service.createSession(body, createKey, signal)
  if (!answer.ok) return handleFailure(world, recording, answer.failure, isRepeated)
  const { value: created, requestId } = answer.value
  const mismatch = mismatchOf(journal, recording, created, requestId)
  if (mismatch !== null) return handleFailure(world, recording, mismatch)
  const partSizeProblem = findPartSizeProblem(recording.identity.sizeBytes, created.upload.partSizeBytes)
  if (partSizeProblem !== null) {
    journal.givenUp.addSession(created.id, 'its part size is impossible', body)
    return handleFailure(world, recording, { kind: 'parts-impossible', detail: partSizeProblem, requestId })
  }
  const lateMismatch = await journal.commit(() => {
    const mismatchNow = mismatchOf(journal, recording, created, requestId)
    if (mismatchNow === null)
      storeSession(world, recording, {
        created,
        body,
        requestId,
        underTestKey: service.usesTestKey,
        isFromEarlierRun,
      })
    return mismatchNow
  })
  if (lateMismatch !== null) await handleFailure(world, recording, lateMismatch)
}

type Creation = {
  readonly created: CreatedSession
  readonly body: CreateSessionRequest
  readonly requestId: string | null
  readonly underTestKey: boolean
  readonly isFromEarlierRun: boolean
}

const storeSession = (
  { journal, sessionsWithNewUrls }: World,
  recording: Recording,
  { created, body, requestId, underTestKey, isFromEarlierRun }: Creation,
): void => {
  const current = journal.recordings.byId(recording.id)
  // The recording needs a new session if it has changed, or if this session is about to be deleted. It also needs a new
  // key, because the old one would return this session.
  if (!isUnchanged(current, recording) || journal.givenUp.has(created.id)) {
    if (current?.createKey === recording.createKey) journal.recordings.patch(recording.id, NO_INTENT)
    journal.givenUp.addSession(created.id, 'the recording changed while its session was created', body)
    return
  }
  const { partSizeBytes, parts, expiresAtMs } = created.upload
  const opened = journal.recordings.transition(
    recording.id,
    'ready',
    { kind: 'session-opened' },
    {
      reason: 'session created',
      requestId,
      patch: {
        sessionId: created.id,
        service: journal.station.service(),
        urlsExpireAtMs: expiresAtMs,
        underTestKey,
      },
    },
  )
  if (opened === null) return
  journal.parts.setUrls(opened.id, parts)
  if (partSizeBytes !== opened.partSizeBytes) rehashForPartSize(journal, opened, partSizeBytes, requestId)
  // A repeated request gets its first answer again (§8), which may be out of date after a restart.
  if (!isFromEarlierRun) sessionsWithNewUrls.add(created.id)
}

/** A failure if the session belongs to a different recording or has different content. */
const mismatchOf = (
  { recordings, station }: Journal,
  recording: Recording,
  created: CreatedSession,
  requestId: string | null,
): Failure | null => {
  const other = recordings
    .bySession(created.id)
    .find(({ id, service }) => id !== recording.id && service === station.service())
  if (other === undefined) return contentFailure(created, recording, requestId)
  return { kind: 'session-mismatch', detail: `it is the session of ${other.name}`, requestId }
}

const handleFailure = async (
  world: World,
  recording: Recording,
  failure: Failure,
  isRepeated = false,
): Promise<void> => {
  const { recordings } = world.journal
  // A refused request creates nothing, and Sluice has given up a session with impossible parts. So the next attempt
  // uses the current settings. But if the refused request was a repetition, an earlier request may have created a
  // session: the service may check the fields before the key.
  if (failure.kind === 'rejected' || failure.kind === 'parts-impossible') {
    const mayExist = failure.kind === 'rejected' && isRepeated
    recordings.patch(recording.id, mayExist ? SEARCH_INTENT : REFUSED_INTENT)
    if (await isCorrectedMeanwhile(world, recording)) return
  }
  // A conflict (§8) usually means that the service still works on the first request. After many conflicts, the key may
  // belong to a different request. Then let the key expire: the opener searches for the session, and uses a new key if
  // it finds none.
  if (failure.kind === 'conflict' && recording.attempts >= KEY_CONFLICT_RETRIES)
    recordings.patch(recording.id, { createKeyAtMs: 0 })
  // The service may have created a session although its answer is unusable. After a few attempts, Sluice searches for
  // the session, and uses a new key if it finds none. Foreign answers count too, because a gateway may block this file
  // name every time.
  const isUnusable =
    failure.kind === 'unreadable-answer' ||
    failure.kind === 'session-mismatch' ||
    failure.kind === 'foreign-answer'
  if (isUnusable && recording.attempts >= UNREADABLE_CREATION_RETRIES)
    recordings.patch(recording.id, { findSessionFirst: true })
  applyDecision(world, { kind: 'recording', recording }, failure)
}

/** True if the file or the settings changed during the request, so that the refusal no longer applies. */
const isCorrectedMeanwhile = async (world: World, { id, createBody }: Recording): Promise<boolean> => {
  const current = world.journal.recordings.byId(id)
  if (current === null || current.sha256 === null) return true
  const labelsResult = await resolveLabels(current, world.folderOf(current.folder), world)
  return labelsResult.ok && bodyOf(current, labelsResult.labels) !== createBody
}
