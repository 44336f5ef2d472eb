import { done, type Failure, failed, isDenial, isTrouble, type Outcome } from '../../domain/failure.ts'
import { ctimeMsOf, mtimeMsOf } from '../../domain/file-identity.ts'
import { findPartSizeProblem } from '../../domain/part-plan.ts'
import { endsPrecaution, isLost as isDenialBelieved } from '../../domain/retry-policy.ts'
import { contentFailure } from '../../domain/session-content.ts'
import { type RemoteStage, stageOf, summaryOf } from '../../domain/session-summary.ts'
import type { Journal, Recording } from '../../journal/journal.ts'
import type { Answered, RemoteSession, ServiceClient } from '../../ports/service.ts'
import type { SessionFinder } from '../../sessions/find-session.ts'
import { rehashForPartSize } from '../../sessions/part-size.ts'
import {
  asSearchFailure,
  CLOCK_SLACK_MS,
  isAtSite,
  listedSessionDenied,
  searchFailed,
} from '../../sessions/search.ts'
import { mayHaveNameOf } from '../../sessions/unshown-content.ts'
import { withoutSession } from '../../stage/apply-decision.ts'
import type { StageWorld } from '../../stage/stage.ts'

/**
 * Hard case: Two stations upload the same file, for example from a share.
 * A station with a new journal does not adopt the open session of a different device. It never deletes a session that a
 * search found, because that session may belong to the other station.
 */

/**
 * Hard case: The journal is lost, and a copy of an uploaded file has a different name.
 * If the folder shares sessions between equal files, the copy adopts the complete session, whatever its name, device
 * and time. With `upload_duplicates`, a file adopts only a session that can be its own.
 */

type AdoptionSearch = {
  readonly finder: SessionFinder
  readonly service: ServiceClient
  /** Whether files with equal content share one session. */
  readonly mayShare: boolean
}

/**
 * Searches the service for the recording's session and adopts it. The recording may have a session if the idempotency
 * key has expired or the journal was rebuilt.
 */
export const adoptExisting = async (
  { journal, station }: Pick<StageWorld, 'journal' | 'station'>,
  recording: Recording,
  { finder, service, mayShare }: AdoptionSearch,
  signal: AbortSignal,
): Promise<Outcome<'adopted' | 'not-there'>> => {
  const isFree = (sessionId: string) =>
    journal.recordings.bySession(sessionId).every(({ state }) => state === 'gone') &&
    !journal.givenUp.has(sessionId)
  // A denial means that the session is missing or belongs to a different organisation. The listed session may be
  // complete, so Sluice believes denials only after the long wait for complete sessions.
  const isLost = (sessionId: string, denial: Failure) =>
    isDenialBelieved(denial, { ...station.denialsOf(sessionId), stage: 'complete' })
  const isPrecaution = isSearchPrecaution(journal, recording)
  const oldestMtimeMs = isPrecaution
    ? () => journal.recordings.oldestSearchedMs(recording.site) ?? Number.POSITIVE_INFINITY
    : null
  const found = await finder.find(recording, { service, isFree, isLost, oldestMtimeMs }, signal)
  // A failing search must not stop the upload of a recording that probably has no session.
  const giveUp = (searchFailure: Failure): Outcome<'not-there'> => {
    if (!isPrecaution) return failed(searchFailure)
    const failure = failureOfPrecaution(searchFailure)
    return endsPrecaution(failure, recording.attempts) ? done('not-there') : failed(failure)
  }
  if (!found.ok) return giveUp(found.failure)
  let best: Answered<RemoteSession> | null = null
  let unclear: Failure | null = null
  for (const sessionId of found.value.ids.filter(isFree)) {
    const retrieved = await service.retrieveSession(sessionId, signal)
    if (!retrieved.ok) {
      const { failure } = retrieved
      if (!isDenial(failure)) return giveUp(failure)
      if (!isLost(sessionId, failure)) unclear = listedSessionDenied(failure)
      continue
    }
    const { value: session, requestId } = retrieved.value
    if (!isAtSite(session, recording.site)) continue
    // The recording may already have left this session, because the session failed.
    if (stageOf(session.status) === 'failed' && hasLeftSession(journal, recording)) continue
    const mismatch = contentFailure(session, recording, requestId)
    if (mismatch !== null) unclear = mismatch
    else if (
      mayAdopt(session, recording, { service, mayShare }) &&
      (best === null || rankOf(session, recording) < rankOf(best.value, recording))
    )
      best = retrieved.value
    // Stop at a session that is good enough: if a file has the same content every day, there may be hundreds of
    // sessions.
    if (best !== null && isBest(best.value, recording, mayShare)) break
  }
  // A session with a different name may belong to a different file with the same content. If the two files may not
  // share the session, adopt it only if all other candidates could be read.
  const own =
    best !== null &&
    (mayHaveNameOf(best.value, recording) || (mayShare && isProcessingOrProcessed(best.value)))
      ? best
      : null
  if (found.value.unknown !== null && own === null) return giveUp(found.value.unknown)
  // `unclear`: a listed session that was denied or had different content. It may match better than `own`, unless `own`
  // is `processed`.
  if (unclear !== null && (own === null || stageOf(own.value.status) !== 'processed')) return giveUp(unclear)
  if (best === null) return done('not-there')
  const { value: session, requestId } = best
  adopt(journal, recording, { session, requestId, underTestKey: service.usesTestKey })
  return done('adopted')
}

/** A search that is only a precaution must not stop the station, or hold a recording for hours. */
const failureOfPrecaution = (failure: Failure): Failure => {
  switch (failure.kind) {
    case 'list-refused':
    // The list still shows the session, so it may exist. A lagging replica may deny it for a while: see `isLost`.
    case 'listed-session-denied':
    // These failures would also stop the creation of a session, so giving up the search does not help.
    case 'cancelled':
    case 'rate-limited':
    case 'auth':
      return failure
    default:
      return isTrouble(failure) ? asSearchFailure(failure) : searchFailed(failure)
  }
}

/**
 * True if the recording probably has no session: Sluice has requested none, and the file is newer than the first
 * complete scan of its folder. Only a rollback of the journal can make this wrong. If the mtime is in the future, the
 * ctime decides, except on FAT under Windows, which has no ctime.
 */
const isSearchPrecaution = (
  journal: Journal,
  { folder, identity, foundAtMs, createKey, createKeyAtMs }: Recording,
): boolean => {
  if (createKey !== null || createKeyAtMs !== null) return false
  const listedAtMs = journal.volumes.listedAtMs(folder)
  const mtimeMs = mtimeMsOf(identity)
  if (listedAtMs === null || mtimeMs < listedAtMs) return false
  const ctimeMs = ctimeMsOf(identity)
  return mtimeMs < foundAtMs || ctimeMs <= 0 || ctimeMs >= listedAtMs
}

/**
 * Whether the recording has left a session. A session that the service only denied does not count: then the recording
 * still has the time of its creation request.
 */
const hasLeftSession = ({ recordings }: Journal, { id, createKeyAtMs }: Recording): boolean =>
  createKeyAtMs === null && recordings.leftSession(id)

/** A file may have several sessions, for example after a retry. The one furthest along wins. */
const STAGE_RANKS: Readonly<Record<RemoteStage, number>> = {
  processed: 0,
  processing: 1,
  unclear: 2,
  uploading: 3,
  failed: 4,
}

const OTHER_NAME_RANK = Object.keys(STAGE_RANKS).length

const isProcessingOrProcessed = ({ status }: RemoteSession): boolean =>
  stageOf(status) === 'processed' || stageOf(status) === 'processing'

const isBest = (session: RemoteSession, recording: Recording, mayShare: boolean): boolean =>
  stageOf(session.status) === 'processed' && (mayShare || mayHaveNameOf(session, recording))

const mayAdopt = (
  session: RemoteSession,
  recording: Recording,
  search: Omit<AdoptionSearch, 'finder'>,
): boolean =>
  (search.mayShare && isProcessingOrProcessed(session)) ||
  (mayBeItsSession(session, recording, search) &&
    !mayBelongToOtherDevice(session, recording, search.mayShare))

/**
 * A session that is older than the file usually belongs to an earlier file with the same content, such as yesterday's
 * calibration. A newer session may have a different name, because the file may be renamed after the request. An older
 * session must have the same name. With `upload_duplicates`, Sluice must also have requested a session for this
 * recording: the PC's clock may have been wrong when the file was written.
 */
const mayBeItsSession = (
  session: RemoteSession,
  recording: Recording,
  { service, mayShare }: Omit<AdoptionSearch, 'finder'>,
): boolean => {
  const createdAtMs = Date.parse(session.createdAt ?? '')
  const mtimeMs = mtimeMsOf(recording.identity)
  // The service's clock may be slow.
  const offsetMs = Math.min(0, service.clockOffsetMs() ?? 0)
  if (!mayHaveNameOf(session, recording)) return createdAtMs >= mtimeMs + offsetMs
  return mayShare || recording.createKeyAtMs !== null || !(createdAtMs < mtimeMs - CLOCK_SLACK_MS)
}

/** Among files with the same content, each prefers the session with its own name. */
const rankOf = (session: RemoteSession, recording: Recording): number =>
  STAGE_RANKS[stageOf(session.status)] + (mayHaveNameOf(session, recording) ? 0 : OTHER_NAME_RANK)

/**
 * Two stations that use one open session would disturb each other. A failed session of a different device shows nothing
 * about this recording. Only a folder that shares sessions may use a complete session of a different device.
 */
const mayBelongToOtherDevice = (session: RemoteSession, recording: Recording, mayShare: boolean): boolean =>
  session.device !== null &&
  session.device !== recording.device &&
  !(mayShare && isProcessingOrProcessed(session))

type Found = {
  readonly session: RemoteSession
  readonly requestId: string | null
  readonly underTestKey: boolean
}

const adopt = (journal: Journal, recording: Recording, { session, requestId, underTestKey }: Found): void =>
  journal.transaction(() => {
    // Adopt nothing if the recording's content changed during the search, if another recording got the session, or if
    // Sluice gave up the session.
    if (journal.recordings.byId(recording.id)?.sha256 !== recording.sha256) return
    const holders = journal.recordings.bySession(session.id)
    if (holders.some(({ state }) => state !== 'gone') || journal.givenUp.has(session.id)) return
    // The file of the earlier recording was copied here and then deleted.
    for (const { id } of holders) {
      journal.parts.forgetSession(id)
      journal.recordings.patch(id, withoutSession)
    }
    const opened = journal.recordings.transition(
      recording.id,
      'ready',
      { kind: 'session-opened' },
      {
        reason: 'found its session at the service',
        requestId,
        patch: {
          sessionId: session.id,
          adopted: true,
          service: journal.station.service(),
          findSessionFirst: false,
          session: summaryOf(session),
          underTestKey,
        },
      },
    )
    if (opened === null) return
    const { upload } = session
    if (stageOf(session.status) !== 'uploading' || upload === null) return
    if (upload.partSizeBytes === opened.partSizeBytes) return
    // An impossible part size is fine here: the uploader reports it when it reads the session again.
    if (findPartSizeProblem(opened.identity.sizeBytes, upload.partSizeBytes) === null)
      rehashForPartSize(journal, opened, upload.partSizeBytes, requestId)
  })
