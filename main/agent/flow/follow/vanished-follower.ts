import { isDenial } from '../../domain/failure.ts'
import { mtimeMsOf } from '../../domain/file-identity.ts'
import { LONGEST_VANISHED_RETRY_DELAY_MS } from '../../domain/retry-limits.ts'
import { backOffMs } from '../../domain/retry-policy.ts'
import { contentDifference } from '../../domain/session-content.ts'
import { stageOf, summaryOf } from '../../domain/session-summary.ts'
import type { Recording } from '../../journal/journal.ts'
import type { RemoteSession, ServiceClient } from '../../ports/service.ts'
import { SessionFinder } from '../../sessions/find-session.ts'
import { shareWithVanished } from '../../sessions/same-content.ts'
import { isAtSite } from '../../sessions/search.ts'
import { applyDecision, withoutSession } from '../../stage/apply-decision.ts'
import { StageOf } from '../../stage/stage.ts'

/**
 * Hard case: The data folder is rolled back, and a file was uploaded and then removed since.
 * The old journal shows the recording as lost, because its file is missing. If Sluice had hashed the file, it asks the
 * service for a session with this content. A processed session makes the recording safe. Sluice asks until the service
 * answers, and again after each start for a week.
 */

const CHECK_INTERVAL_MS = 10_000
const PROCESSING_CHECK_INTERVAL_MS = 60_000
const MAX_FAILURES_PER_STEP = 3

/** `wait`: the service may process the session later. `failed`: the service did not answer. */
type Verdict = 'safe' | 'wait' | 'not-there' | 'failed'

/** Checks recordings that were found before this start, and whose file has vanished. */
export class VanishedFollower extends StageOf<
  'journal' | 'service' | 'station' | 'clock' | 'random' | 'vanished'
> {
  readonly name = 'vanished-follower'
  readonly states = ['gone'] as const
  readonly #finder = new SessionFinder(this.world)
  /** Recordings whose last check failed. The next step checks them last. */
  readonly #failed = new Set<number>()
  #failedSteps = 0

  async step(signal: AbortSignal): Promise<number> {
    const { journal, station, random } = this.world
    const service = this.world.service()
    if (service === null || !station.mayRequest()) return CHECK_INTERVAL_MS
    let [failures, waits] = [0, 0]
    for (const id of this.#dueIds()) {
      if (signal.aborted || !station.mayRequest() || failures >= MAX_FAILURES_PER_STEP) break
      const recording = journal.recordings.byId(id)
      // The check of an earlier recording may have made this one safe.
      if (recording?.state !== 'gone') continue
      const verdict = await this.#check(recording, service, signal)
      if (verdict === 'failed') {
        failures += 1
        this.#failed.add(id)
        continue
      }
      this.#failed.delete(id)
      if (verdict === 'wait') waits += 1
      else this.world.vanished.markChecked(id)
    }
    this.#failedSteps = failures === 0 ? 0 : this.#failedSteps + 1
    if (failures > 0) return backOffMs(this.#failedSteps, random, LONGEST_VANISHED_RETRY_DELAY_MS)
    return waits > 0 ? PROCESSING_CHECK_INTERVAL_MS : CHECK_INTERVAL_MS
  }

  #dueIds(): readonly number[] {
    const ids = this.world.vanished.uncheckedIds()
    if (ids.length === 0) this.#finder.forgetUnused()
    return [...ids.filter((id) => !this.#failed.has(id)), ...ids.filter((id) => this.#failed.has(id))]
  }

  async #check(recording: Recording, service: ServiceClient, signal: AbortSignal): Promise<Verdict> {
    const { sessionId } = recording
    if (sessionId !== null) {
      const verdict = await this.#checkSession(recording, sessionId, service, signal)
      if (verdict !== 'not-there') return verdict
    }
    const found = await this.#finder.find(
      recording,
      {
        service,
        isFree: (id) => id !== sessionId,
        isLost: () => true,
        oldestMtimeMs: () => mtimeMsOf(recording.identity),
      },
      signal,
    )
    if (!found.ok) {
      if (found.failure.kind !== 'list-refused') applyDecision(this.world, { kind: 'station' }, found.failure)
      return 'failed'
    }
    let result: Verdict = found.value.unknown === null ? 'not-there' : 'failed'
    for (const id of found.value.ids) {
      const verdict = await this.#checkSession(recording, id, service, signal)
      if (verdict === 'safe' || verdict === 'failed') return verdict
      if (verdict === 'wait') result = 'wait'
    }
    return result
  }

  async #checkSession(
    recording: Recording,
    sessionId: string,
    service: ServiceClient,
    signal: AbortSignal,
  ): Promise<Verdict> {
    const retrieved = await service.retrieveSession(sessionId, signal)
    if (!retrieved.ok) {
      if (isDenial(retrieved.failure)) return 'not-there'
      applyDecision(this.world, { kind: 'station' }, retrieved.failure)
      return 'failed'
    }
    const { value: session, requestId, isCached } = retrieved.value
    if (contentDifference(session, recording) !== null || !isAtSite(session, recording.site))
      return 'not-there'
    switch (stageOf(session.status)) {
      case 'processed':
        if (isCached === true) return 'wait'
        return this.#markSafe(recording, session, requestId, service.usesTestKey)
      case 'processing':
      case 'unclear':
        return 'wait'
      case 'uploading':
      case 'failed':
        return 'not-there'
    }
  }

  #markSafe(
    recording: Recording,
    session: RemoteSession,
    requestId: string | null,
    underTestKey: boolean,
  ): Verdict {
    const { journal } = this.world
    const { recordings } = journal
    return journal.transaction(() => {
      const current = recordings.byId(recording.id)
      // The file may be back by now.
      if (current?.state !== 'gone') return 'not-there'
      const holder = recordings
        .bySession(session.id)
        .find(({ id, state }) => id !== recording.id && state !== 'gone')
      if (holder !== undefined && holder.state !== 'processed') return 'wait'
      if (holder !== undefined) {
        shareWithVanished(journal, current, holder)
        return 'safe'
      }
      journal.parts.forgetSession(recording.id)
      const processed = recordings.transition(
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
      if (processed !== null)
        for (const copy of recordings.vanishedWith(processed)) shareWithVanished(journal, copy, processed)
      return 'safe'
    })
  }
}
