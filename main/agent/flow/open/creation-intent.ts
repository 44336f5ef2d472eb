import type { FolderSettings } from '../../../../shared/settings/settings.ts'
import { isKeyLive } from '../../domain/key-lifetime.ts'
import type { fillLabels } from '../../domain/naming.ts'
import { waitsForever } from '../../domain/problems.ts'
import { UNREADABLE_CREATION_RETRIES } from '../../domain/retry-limits.ts'
import type { Recording } from '../../journal/journal.ts'
import type { Clock } from '../../ports/clock.ts'
import type { ServiceClient } from '../../ports/service.ts'
import { applyDecision } from '../../stage/apply-decision.ts'
import type { StageWorld } from '../../stage/stage.ts'
import { resolveLabels } from './creation-labels.ts'
import { bodyOf, isUnchanged } from './creation-request.ts'

/**
 * Hard case: Killed between POST /sessions and its answer.
 * While the key is valid (§8), the opener repeats the request with the same key and body. Once the key has expired, the
 * opener searches for the session by content and adopts it.
 */

/**
 * The intent: the idempotency key and the body of the request that creates a session. The journal stores both exactly
 * as the opener sends them.
 */
export type CreationIntentNeeds =
  | 'journal'
  | 'station'
  | 'clock'
  | 'random'
  | 'newKey'
  | 'paths'
  | 'files'
  | 'hostName'
type World = Pick<StageWorld, CreationIntentNeeds>

export const NO_INTENT = {
  createKey: null,
  createKeyAtMs: null,
  createKeyServiceMs: null,
  createBody: null,
} as const
/** Clears the key but not the body: a body without a key marks a refused request. */
export const REFUSED_INTENT = { createKey: null, createKeyAtMs: null, createKeyServiceMs: null } as const
/** Does not clear the time of the request, because the search needs it. */
export const SEARCH_INTENT = { createKey: null, findSessionFirst: true } as const
/** Stored instead of a body that could not be built. */
const UNSENT_BODY = '{}'

/** The current time of the service. Null until the service has answered once. */
export const serviceTimeOf = (service: ServiceClient): number | null =>
  service.clockOffsetMs() === null ? null : service.nowMs()

const hasLiveKey = (recording: Recording, clock: Pick<Clock, 'wallMs'>, service: ServiceClient): boolean => {
  const { createKey, createKeyAtMs, createKeyServiceMs } = recording
  if (createKey === null || createKeyAtMs === null) return false
  const now = { wallMs: clock.wallMs(), serviceMs: serviceTimeOf(service) }
  return isKeyLive({ wallMs: createKeyAtMs, serviceMs: createKeyServiceMs }, now)
}

/**
 * Returns the recording with its intent. If a search must come first, the intent gets no new key yet. Returns null if
 * the labels cannot be resolved, or if the recording no longer needs this request.
 */
export const ensureIntent = async (
  world: World,
  recording: Recording,
  folder: FolderSettings | undefined,
  service: ServiceClient,
): Promise<Recording | null> => {
  if (hasLiveKey(recording, world.clock, service)) return recording
  const labelsResult = await resolveLabels(recording, folder, world)
  return world.journal.commit(() => writeIntent(world, recording, labelsResult, service))
}

/**
 * True if the recording has a session, or if a request whose answer was lost may have created one. False for a file
 * that Sluice found again after a journal loss, because the new journal knows of no request.
 */
export const mayHaveOwnSession = ({
  sessionId,
  createKey,
  createKeyAtMs,
  findSessionFirst,
}: Recording): boolean =>
  sessionId !== null || createKey !== null || (findSessionFirst && createKeyAtMs !== null)

const writeIntent = (
  world: World,
  recording: Recording,
  labelsResult: ReturnType<typeof fillLabels>,
  service: ServiceClient,
): Recording | null => {
  const { journal, clock, newKey, paths } = world
  // The recording may have changed or moved while Sluice read its notes file. Then this request no longer applies.
  const current = journal.recordings.byId(recording.id)
  if (current?.state !== 'ready' || current.sha256 !== recording.sha256) return null
  if (!paths.same(current.path, recording.path)) return null
  // A user may have ignored the recording or removed its folder.
  if (waitsForever(current)) return null
  // If there is still a key, it has expired. Its request may have created a session, so search for that session.
  const findSessionFirst = recording.findSessionFirst || recording.createKey !== null
  if (!labelsResult.ok) {
    // If a placeholder has no value, treat the request as refused: the next attempt reads the settings again.
    if (labelsResult.failure.kind === 'placeholder-unfilled')
      // Keep `createKeyAtMs`: a search still needs the time of an earlier request.
      journal.recordings.patch(recording.id, { createKey: null, createBody: UNSENT_BODY, findSessionFirst })
    applyDecision(world, { kind: 'recording', recording }, labelsResult.failure)
    return null
  }
  const { labels } = labelsResult
  // Before a search, keep the time of the first request: the session cannot be older. Also store no new key, because
  // it would look like a key that was sent and got no answer.
  const request = {
    createKey: newKey(),
    createKeyAtMs: clock.wallMs(),
    createKeyServiceMs: serviceTimeOf(service),
    createBody: bodyOf(recording, labels),
  }
  const intent = { ...labels, findSessionFirst, ...(findSessionFirst ? {} : request) }
  journal.recordings.patch(recording.id, intent)
  return { ...recording, ...intent }
}

/**
 * The intent after a search that found no session. It keeps a valid key for a few attempts. After that, it gets a new
 * key: if an answer was unreadable, the service repeats that answer for the old key. Null if the recording changed
 * meanwhile.
 */
export const renewIntentAfterSearch = (
  world: World,
  recording: Recording,
  service: ServiceClient,
): Recording | null => {
  const { journal, clock, newKey } = world
  const keepsKey = hasLiveKey(recording, clock, service) && recording.attempts <= UNREADABLE_CREATION_RETRIES
  const { createKey, createBody, createKeyAtMs, createKeyServiceMs } = keepsKey
    ? recording
    : {
        createKey: newKey(),
        createBody: bodyOf(recording, recording),
        createKeyAtMs: clock.wallMs(),
        createKeyServiceMs: serviceTimeOf(service),
      }
  const intent = { createKey, createBody, createKeyAtMs, createKeyServiceMs, findSessionFirst: false }
  return journal.transaction(() => {
    if (!isUnchanged(journal.recordings.byId(recording.id), recording)) return null
    journal.recordings.patch(recording.id, intent)
    return { ...recording, ...intent }
  })
}
