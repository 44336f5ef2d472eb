import type { CreateSessionRequest } from '../../../../shared/contract/control-api.ts'
import { isKeyLive } from '../../domain/key-lifetime.ts'
import { contentDifference } from '../../domain/session-content.ts'
import { stageOf } from '../../domain/session-summary.ts'
import type { GivenUpSession, UnsettledCreation } from '../../journal/journal.ts'
import type { RemoteSession, ServiceClient } from '../../ports/service.ts'
import { resolveDeletions } from '../../sessions/session-deletion.ts'
import { applyDecision } from '../../stage/apply-decision.ts'
import { StageOf } from '../../stage/stage.ts'
import { serviceTimeOf } from './creation-intent.ts'

/**
 * Hard case: The answer to a creation is lost, then the file changes.
 * The discarder keeps the old key and body, repeats the request to learn the session's id, and deletes that session.
 * Once the key has expired (§8), the session stays at the service, because a search cannot prove that the session
 * belongs to this station.
 */

const CHECK_INTERVAL_MS = 10_000
const MAX_PER_STEP = 10

/**
 * Deletes sessions that Sluice gave up, so that each recording ends up with exactly one session. The discarder deletes
 * only sessions that the service reports as uploading. It never deletes a complete session, even if Sluice gave it up.
 * If a user requested a deletion and the answer was lost, the discarder checks whether the session still exists.
 */
export class Discarder extends StageOf<'journal' | 'service' | 'station' | 'clock' | 'random' | 'log'> {
  readonly name = 'discarder'
  readonly states = [] as const

  async step(signal: AbortSignal): Promise<number> {
    const { journal, station } = this.world
    const service = this.world.service()
    if (service === null || !station.mayRequest()) return CHECK_INTERVAL_MS
    await resolveDeletions(this.world, service, signal)
    const mayContinue = () => !signal.aborted && station.mayRequest()
    for (const creation of journal.givenUp.creationsDue(MAX_PER_STEP))
      if (mayContinue()) await this.#settle(creation, service, signal)
    for (const session of journal.givenUp.sessionsDue(MAX_PER_STEP))
      if (mayContinue()) await this.#discard(session, service, signal)
    return journal.givenUp.count().all > 0 ? 1_000 : CHECK_INTERVAL_MS
  }

  /** Repeats the creation to learn the id of the session to delete. The repetition creates no second session (§8). */
  async #settle(creation: UnsettledCreation, service: ServiceClient, signal: AbortSignal): Promise<void> {
    const { journal, clock, log } = this.world
    const { key, reason } = creation
    const sent = { wallMs: creation.requestedAtMs, serviceMs: creation.requestedServiceMs }
    if (!isKeyLive(sent, { wallMs: clock.wallMs(), serviceMs: serviceTimeOf(service) })) {
      log.warn(
        'a session that was given up may remain at the service, because the answer to its creation was lost',
        { reason },
      )
      journal.givenUp.forgetCreation(key)
      return
    }
    const body = JSON.parse(creation.body) as CreateSessionRequest
    const answer = await service.createSession(body, key, signal)
    if (answer.ok) await this.#discardCreated(creation, answer.value.value.id, service, signal)
    // A refusal does not prove that the earlier request created no session, so retry until the key expires. But after
    // several denials (404 or 403), assume that there is no session.
    else if (
      applyDecision(this.world, { kind: 'given-up-creation', creation }, answer.failure) === 'session-lost'
    )
      journal.givenUp.forgetCreation(key)
  }

  /** A wrong answer could name a session of a different recording or station, so compare the content (§2.2). */
  async #discardCreated(
    creation: UnsettledCreation,
    sessionId: string,
    service: ServiceClient,
    signal: AbortSignal,
  ): Promise<void> {
    const { journal, log } = this.world
    const { key, reason } = creation
    const retrieved = await service.retrieveSession(sessionId, signal)
    if (!retrieved.ok) {
      if (
        applyDecision(this.world, { kind: 'given-up-creation', creation }, retrieved.failure) ===
        'session-lost'
      )
        journal.givenUp.forgetCreation(key)
      return
    }
    const { sha256, bytes } = JSON.parse(creation.body) as CreateSessionRequest
    const difference = contentDifference(retrieved.value.value, { sha256, identity: { sizeBytes: bytes } })
    journal.transaction(() => {
      if (difference === null) journal.givenUp.addSession(sessionId, reason, { sha256, bytes })
      journal.givenUp.forgetCreation(key)
    })
    if (difference !== null)
      log.warn(
        'kept a session: the service named it for a creation that was given up, but its content differs',
        {
          sessionId,
          difference,
        },
      )
  }

  async #discard(session: GivenUpSession, service: ServiceClient, signal: AbortSignal): Promise<void> {
    const { journal, log } = this.world
    const { sessionId, reason } = session
    // If a recording uses the session by now, keep it.
    if (journal.recordings.bySession(sessionId).length > 0) return journal.givenUp.forgetSession(sessionId)
    const retrieved = await service.retrieveSession(sessionId, signal)
    if (retrieved.ok && retrieved.value.isCached === true) {
      log.info('kept a session that was given up, because only a cache still shows it', { sessionId, reason })
      return journal.givenUp.forgetSession(sessionId)
    }
    if (retrieved.ok && stageOf(retrieved.value.value.status) !== 'uploading') {
      log.info('kept a session that was given up, because the service no longer shows it as uploading', {
        sessionId,
        reason,
      })
      return journal.givenUp.forgetSession(sessionId)
    }
    if (retrieved.ok && !holdsContent(retrieved.value.value, session)) {
      log.warn('kept a session that was given up, because it does not show the expected content', {
        sessionId,
        reason,
      })
      return journal.givenUp.forgetSession(sessionId)
    }
    const answer = retrieved.ok ? await service.deleteSession(sessionId, signal) : retrieved
    if (answer.ok) log.info('deleted a session that was given up', { sessionId, reason })
    const isOver =
      answer.ok ||
      applyDecision(this.world, { kind: 'given-up-session', session }, answer.failure) === 'session-lost'
    if (isOver) journal.givenUp.forgetSession(sessionId)
  }
}

/** A deletion is final (§4.6), and the service may have named a wrong session, so size and checksum must match. */
const holdsContent = (
  shown: Pick<RemoteSession, 'sha256' | 'bytes'>,
  { sha256, bytes }: Pick<GivenUpSession, 'sha256' | 'bytes'>,
): boolean => sha256 !== null && bytes === shown.bytes && sha256.toLowerCase() === shown.sha256?.toLowerCase()
