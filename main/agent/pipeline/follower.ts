import type { Settings } from '../../../shared/settings.ts'
import { pollIntervalMs } from '../domain/poll-interval.ts'
import { problemOf } from '../domain/problems.ts'
import { stageOf, summaryOf } from '../domain/session-summary.ts'
import type { Journal, Recording } from '../journal/journal.ts'
import type { Clock, Random, RemoteSession, ServiceClient, StationGate } from '../ports.ts'
import { respond } from '../running/failure-response.ts'

const LOOK_MS = 5_000
const AT_ONCE = 4
const DUE_AT_ONCE = 500
/** From this many sessions of one site on, a page of the list is cheaper than asking one by one. */
const LIST_FROM = 4
const CLOCK_SLACK_MS = 60_000

type Dependencies = {
  readonly journal: Journal
  readonly service: () => ServiceClient | null
  readonly gate: StationGate
  readonly clock: Clock
  readonly random: Random
  readonly settings: () => Settings | null
}

/** Follows completed sessions until the service has processed them, or says why not. */
export class Follower {
  readonly name = 'follower'
  readonly #deps: Dependencies
  /** How often each was asked about; forgotten in a restart, which only makes the next question come sooner. */
  readonly #polls = new Map<number, number>()

  constructor(deps: Dependencies) {
    this.#deps = deps
  }

  async step(signal: AbortSignal): Promise<number> {
    const { journal, gate } = this.#deps
    const service = this.#deps.service()
    if (service === null || !gate.isOpen()) return LOOK_MS
    const due = journal.work.due(['processing'], DUE_AT_ONCE)
    if (due.length === 0) return journal.work.lookAgainMs(['processing'], LOOK_MS)
    const bySite = Map.groupBy(due, (recording) => recording.site)
    const alone: Recording[] = []
    for (const [site, recordings] of bySite) {
      if (recordings.length < LIST_FROM) alone.push(...recordings)
      else alone.push(...(await this.#askByList(site, recordings, service, signal)))
    }
    for (let from = 0; from < alone.length && gate.isOpen() && !signal.aborted; from += AT_ONCE)
      await Promise.all(
        alone.slice(from, from + AT_ONCE).map((recording) => this.#ask(recording, service, signal)),
      )
    return 0
  }

  /** Returns those that the list did not show; they are asked about one by one. */
  async #askByList(
    site: string,
    recordings: readonly Recording[],
    service: ServiceClient,
    signal: AbortSignal,
  ): Promise<Recording[]> {
    const waiting = new Map(recordings.map((recording) => [recording.sessionId, recording]))
    const oldest = Math.min(
      ...recordings.map((recording) => Date.parse(recording.session?.createdAt ?? '') || 0),
    )
    const filter = {
      site,
      limit: 500,
      ...(oldest > 0 ? { createdFrom: new Date(oldest - CLOCK_SLACK_MS).toISOString() } : {}),
    }
    const mostPages = Math.max(1, Math.floor(recordings.length / LIST_FROM))
    let cursor: string | null = null
    for (let page = 0; page < mostPages && waiting.size > 0; page += 1) {
      const answer: Awaited<ReturnType<ServiceClient['listSessions']>> = await service.listSessions(
        { ...filter, ...(cursor === null ? {} : { cursor }) },
        signal,
      )
      if (!answer.ok) break
      for (const session of answer.value.value.sessions) {
        const recording = waiting.get(session.id)
        if (recording === undefined) continue
        waiting.delete(session.id)
        this.#heard(recording, session, answer.value.requestId)
      }
      cursor = answer.value.value.nextCursor
      if (cursor === null) break
    }
    return [...waiting.values()]
  }

  async #ask(recording: Recording, service: ServiceClient, signal: AbortSignal): Promise<void> {
    const { journal } = this.#deps
    if (recording.sessionId === null) throw new Error('processing without a session')
    const answer = await service.retrieveSession(recording.sessionId, signal)
    if (answer.ok) return this.#heard(recording, answer.value.value, answer.value.requestId)
    const { failure } = answer
    if (failure.kind !== 'not-found' && failure.kind !== 'other-organisation') {
      respond(this.#deps, recording, failure)
      return
    }
    const { requestId } = failure
    const elsewhere = failure.kind === 'other-organisation'
    const problem = problemOf(elsewhere ? 'session-elsewhere' : 'session-deleted', { requestId })
    journal.recordings.transition(
      recording.id,
      'processing',
      { kind: 'deleted-at-service' },
      {
        reason: elsewhere ? problem.sentence : 'the session was deleted at the service',
        requestId,
        patch: { problem },
      },
    )
  }

  #heard(recording: Recording, session: RemoteSession, requestId: string | null): void {
    const { journal, clock } = this.#deps
    const { recordings } = journal
    const summary = summaryOf(session)
    switch (stageOf(session.status)) {
      case 'processed':
        this.#polls.delete(recording.id)
        recordings.transition(
          recording.id,
          'processing',
          { kind: 'processed' },
          { reason: 'processed', requestId, patch: { session: summary } },
        )
        return
      case 'failed': {
        this.#polls.delete(recording.id)
        const worst = session.issues.find((issue) => issue.severity === 'error') ?? session.issues[0]
        const detail = worst?.detail ?? worst?.code
        const problem = problemOf('processing-failed', {
          requestId,
          ...(detail === undefined ? {} : { detail }),
        })
        recordings.transition(
          recording.id,
          'processing',
          { kind: 'processing-failed' },
          { reason: problem.sentence, requestId, patch: { session: summary, problem } },
        )
        return
      }
      // `uploading` after a completion is the service's own affair; it is asked again like any other.
      case 'uploading':
      case 'under-way': {
        const polls = (this.#polls.get(recording.id) ?? 0) + 1
        this.#polls.set(recording.id, polls)
        const baseSeconds = this.#deps.settings()?.follow.poll_seconds ?? 15
        recordings.patch(recording.id, {
          attempts: 0,
          nextAttemptAtMs: clock.wallMs() + pollIntervalMs(polls - 1, baseSeconds),
          session: summary,
        })
      }
    }
  }
}
