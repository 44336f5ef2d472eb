import { isDenial, isTrouble } from '../../domain/failure.ts'
import { mtimeMsOf } from '../../domain/file-identity.ts'
import { backOffMs } from '../../domain/retry-policy.ts'
import { contentDifference } from '../../domain/session-content.ts'
import { stageOf, summaryOf } from '../../domain/session-summary.ts'
import type { Recording } from '../../journal/journal.ts'
import type { RemoteSession, ServiceClient } from '../../ports/service.ts'
import { SessionFinder } from '../../sessions/find-session.ts'
import { isAtSite } from '../../sessions/search.ts'
import { withoutSession } from '../../stage/apply-decision.ts'
import { StageOf } from '../../stage/stage.ts'

/**
 * Hard case: The data folder is rolled back, and a file was uploaded and then removed since.
 * The old journal shows a recording whose file is missing, as if it were lost. If Sluice had hashed the file, it asks the
 * service once for a session with this content. If the service has processed that session, the recording is safe.
 */

const CHECK_INTERVAL_MS = 10_000
const PROCESSING_CHECK_INTERVAL_MS = 60_000

type Verdict = 'safe' | 'processing' | 'not-there' | 'failed'

/** Checks recordings whose file vanished between the last write of the journal and this start. */
export class VanishedFollower extends StageOf<'journal' | 'service' | 'station' | 'clock' | 'random'> {
  readonly name = 'vanished-follower'
  readonly states = [] as const
  readonly #startedAtMs = this.world.clock.wallMs()
  readonly #finder = new SessionFinder(this.world)
  /** Recordings that the service has no processed session for. */
  readonly #checked = new Set<number>()
  #failures = 0

  async step(signal: AbortSignal): Promise<number> {
    const { journal, station, random } = this.world
    const service = this.world.service()
    if (service === null || !station.mayRequest()) return CHECK_INTERVAL_MS
    const ids = journal.recordings.vanishedSince(this.#startedAtMs).filter((id) => !this.#checked.has(id))
    let isProcessing = false
    for (const id of ids) {
      const recording = journal.recordings.byId(id)
      if (recording === null) continue
      const verdict = await this.#check(recording, service, signal)
      if (signal.aborted) break
      if (verdict === 'failed') {
        this.#failures += 1
        return backOffMs(this.#failures, random)
      }
      this.#failures = 0
      if (verdict === 'processing') isProcessing = true
      else this.#checked.add(id)
    }
    if (ids.length === 0) this.#finder.forgetUnused()
    return isProcessing ? PROCESSING_CHECK_INTERVAL_MS : CHECK_INTERVAL_MS
  }

  async #check(recording: Recording, service: ServiceClient, signal: AbortSignal): Promise<Verdict> {
    const ids = await this.#sessionsOf(recording, service, signal)
    if (ids === null) return 'failed'
    let isProcessing = false
    for (const sessionId of ids) {
      const retrieved = await service.retrieveSession(sessionId, signal)
      if (!retrieved.ok) {
        if (isDenial(retrieved.failure)) continue
        return isTrouble(retrieved.failure) ? 'failed' : 'not-there'
      }
      const { value: session, requestId, isCached } = retrieved.value
      if (isCached === true || contentDifference(session, recording) !== null) continue
      if (!isAtSite(session, recording.site)) continue
      if (stageOf(session.status) === 'processing') isProcessing = true
      if (stageOf(session.status) !== 'processed') continue
      this.#markSafe(recording, session, requestId, service.usesTestKey)
      return 'safe'
    }
    return isProcessing ? 'processing' : 'not-there'
  }

  /** The ids of the sessions that may have the recording's content. Null if the service cannot tell now. */
  async #sessionsOf(
    recording: Recording,
    service: ServiceClient,
    signal: AbortSignal,
  ): Promise<readonly string[] | null> {
    if (recording.sessionId !== null) return [recording.sessionId]
    const { recordings } = this.world.journal
    const isFree = (sessionId: string) => recordings.bySession(sessionId).length === 0
    const oldestMtimeMs = () => mtimeMsOf(recording.identity)
    const found = await this.#finder.find(
      recording,
      { service, isFree, isLost: () => true, oldestMtimeMs },
      signal,
    )
    if (found.ok) return found.value.ids
    return isTrouble(found.failure) ? null : []
  }

  #markSafe(
    recording: Recording,
    session: RemoteSession,
    requestId: string | null,
    underTestKey: boolean,
  ): void {
    const { journal } = this.world
    journal.transaction(() => {
      // The file may have come back, or a different recording may have got the session meanwhile.
      if (journal.recordings.byId(recording.id)?.state !== 'gone') return
      if (journal.recordings.bySession(session.id).some(({ id }) => id !== recording.id)) return
      journal.parts.forgetSession(recording.id)
      journal.recordings.transition(
        recording.id,
        'gone',
        { kind: 'same-content' },
        {
          reason: 'the file is gone, but the service has processed its content',
          requestId,
          patch: {
            ...withoutSession,
            sessionId: session.id,
            adopted: true,
            service: journal.station.service(),
            findSessionFirst: false,
            session: summaryOf(session),
            underTestKey,
          },
        },
      )
    })
  }
}
