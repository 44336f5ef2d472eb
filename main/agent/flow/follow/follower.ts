import type { SessionSummary } from '../../../../shared/status/status.ts'
import { type Listed, listWindows } from '../../domain/list-window.ts'
import { lookAtMs, pollIntervalMs } from '../../domain/poll-interval.ts'
import { problemOf } from '../../domain/problems.ts'
import {
  backOffMs,
  LIST_RETRIES,
  LONGEST_LIST_RETRY_DELAY_MS,
  REOPENED_RETRY_DELAY_MS,
} from '../../domain/retry-policy.ts'
import { contentFailure } from '../../domain/session-content.ts'
import { stageOf, summaryOf } from '../../domain/session-summary.ts'
import type { Recording } from '../../journal/journal.ts'
import type { RemoteSession, ServiceClient } from '../../ports/service.ts'
import { EventsHeard } from '../../sessions/event-arrival.ts'
import { listedSessions } from '../../sessions/listed-sessions.ts'
import { reopen } from '../../sessions/reopen-session.ts'
import { ReopenedSessions } from '../../sessions/reopened-sessions.ts'
import { shareWithVanished } from '../../sessions/same-content.ts'
import { carryOut } from '../../stage/apply-decision.ts'
import { Jobs } from '../../stage/jobs.ts'
import { StageOf } from '../../stage/stage.ts'
import { ListTrust } from './list-trust.ts'

const LOOK_MS = 5_000
const AT_ONCE = 4
const DUE_AT_ONCE = 500
/** Shown at work by the list so often, one is asked about by itself: the list may have stood still. */
const WITNESS_FROM = 3

const hasEnded = ({ status }: RemoteSession): boolean => ['processed', 'failed'].includes(stageOf(status))

/** Follows completed sessions until the service has processed them, or says why not. */
export class Follower extends StageOf<
  'journal' | 'service' | 'station' | 'clock' | 'random' | 'settings' | 'guard' | 'wake' | 'webhooks'
> {
  readonly name = 'follower'
  readonly takes = ['processing'] as const
  readonly #jobs = new Jobs(this.world, 'processing')
  /** The list did not show them: they are asked about one by one, and the list not read again for them. */
  readonly #unlisted = new Set<number>()
  /** How often each was asked about; forgotten in a restart, which only makes the next question come sooner. */
  readonly #polls = new Map<number, number>()
  /** Until it is looked for: waits that were written down while events arrived are then made shorter again. */
  #eventsArrive = true
  readonly #events = new EventsHeard(this.world)
  readonly #phase = this.world.random()
  readonly #list = new ListTrust(this.world.clock)
  readonly #reopened = new ReopenedSessions(this.world.clock)
  #listFailures = 0
  #listAgainAtMs = Number.NEGATIVE_INFINITY

  async step(signal: AbortSignal): Promise<number> {
    const { journal, station, clock } = this.world
    const service = this.world.service()
    if (service === null || !station.mayRequest()) return LOOK_MS
    this.#lookForEvents()
    const room = AT_ONCE - this.#jobs.ids.length
    if (room <= 0) return LOOK_MS
    const lookedAtMs = clock.wallMs()
    const due = journal.work.due('processing', lookedAtMs, DUE_AT_ONCE, this.#jobs.ids)
    const isAlone = ({ id }: Recording) => this.#list.isBehind || this.#unlisted.has(id)
    const { windows, alone: few } = listWindows(due.filter((recording) => !isAlone(recording)))
    const alone = [...due.filter(isAlone), ...few]
    for (const window of windows) {
      if (this.#list.isBehind) alone.push(...window.wanted)
      if (this.#list.isBehind || this.#listInMs() > 0) continue
      for (const recording of await this.#askByList(window, service, signal)) {
        this.#unlisted.add(recording.id)
        alone.push(recording)
      }
    }
    if (!station.mayRequest() || signal.aborted) return LOOK_MS
    const witness = this.#witnessOf(windows)
    if (witness !== undefined)
      this.#jobs.begin(witness.id, this.name, () => this.#ask(witness, service, signal, 'witness'))
    for (const recording of alone.slice(0, AT_ONCE - this.#jobs.ids.length)) {
      this.#unlisted.delete(recording.id)
      this.#jobs.begin(recording.id, this.name, () => this.#ask(recording, service, signal))
    }
    if (windows.length > 0 && this.#listInMs() > 0) return Math.min(this.#listInMs(), LOOK_MS)
    return journal.work.nextCheckMs('processing', lookedAtMs, LOOK_MS)
  }

  #listInMs(): number {
    return this.#listAgainAtMs - this.world.clock.monotonicMs()
  }

  close(): Promise<void> {
    return this.#jobs.ended()
  }

  /**
   * Returns those that the list did not show; they are asked about one by one. A list that could not be read to its end
   * says nothing of anybody: one 503 would be a question for each of hundreds, at a service that has too many.
   */
  async #askByList(
    window: Listed<Recording>,
    service: ServiceClient,
    signal: AbortSignal,
  ): Promise<Recording[]> {
    const { journal, station, clock, random } = this.world
    const waiting = new Map(window.wanted.map((recording) => [recording.sessionId, recording]))
    const mark = journal.events.mark()
    for await (const page of listedSessions(window, service, signal)) {
      if (!page.ok) {
        if (page.failure.kind === 'list-refused') {
          this.#list.refused()
          return [...waiting.values()]
        }
        carryOut(this.world, { kind: 'station' }, page.failure)
        this.#listFailures += 1
        this.#listAgainAtMs =
          clock.monotonicMs() + backOffMs(this.#listFailures, random, LONGEST_LIST_RETRY_DELAY_MS)
        return this.#listFailures < LIST_RETRIES ? [] : [...waiting.values()]
      }
      this.#listFailures = 0
      const { sessions, requestId } = page.value
      await Promise.all(
        sessions.flatMap((session) => {
          // Open again, perhaps: only the session itself says what it misses, so it is polled by itself.
          if (stageOf(session.status) === 'uploading') return []
          const recording = waiting.get(session.id) ?? this.#ended(session)
          waiting.delete(session.id)
          return recording === null ? [] : [this.#hear(recording, session, requestId, mark)]
        }),
      )
      if (!station.mayRequest() || signal.aborted) return []
    }
    return [...waiting.values()]
  }

  /** One that the list has shown at work again and again. */
  #witnessOf(windows: readonly Listed<Recording>[]): Recording | undefined {
    return windows
      .flatMap(({ wanted }) => wanted)
      .find(({ id }) => !this.#unlisted.has(id) && (this.#polls.get(id) ?? 0) >= WITNESS_FROM)
  }

  /** The list also shows what was not asked for yet: what has come to its end need not be. */
  #ended(session: RemoteSession): Recording | null {
    if (!hasEnded(session)) return null
    const { recordings } = this.world.journal
    return recordings.bySession(session.id).find(({ state }) => state === 'processing') ?? null
  }

  async #ask(
    recording: Recording,
    service: ServiceClient,
    signal: AbortSignal,
    as: 'itself' | 'witness' = 'itself',
  ): Promise<void> {
    const { journal, clock } = this.world
    if (recording.sessionId === null) throw new Error('processing without a session')
    const mark = journal.events.mark()
    const answer = await service.retrieveSession(recording.sessionId, signal)
    if (answer.ok) {
      const { value: session, requestId } = answer.value
      await this.#hear(recording, session, requestId, mark, 'itself')
      if (as === 'witness' && this.#list.heard(hasEnded(session)))
        journal.work.capWaits('processing', clock.wallMs())
      return
    }
    const { failure } = answer
    if (carryOut(this.world, { kind: 'recording', recording }, failure) !== 'session-lost') return
    if (failure.kind !== 'not-found' && failure.kind !== 'other-organisation') return
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

  /** Together with what else is heard at this moment. `mark`: where the events stood when it was asked. */
  async #hear(
    recording: Recording,
    session: RemoteSession,
    requestId: string | null,
    mark: number,
    by: 'itself' | 'list' = 'list',
  ): Promise<void> {
    const asked = (this.#polls.get(recording.id) ?? 0) + 1
    const isOpenAgain =
      by === 'itself' && this.#reopened.heard(recording.id, stageOf(session.status) === 'uploading')
    // Counted after it: a commit is written a second time where another of its writes throws.
    const polls = await this.world.journal.commit(() =>
      this.#heard(recording, session, { requestId, mark, asked, isOpenAgain }),
    )
    if (polls === 'over') {
      this.#polls.delete(recording.id)
      this.#reopened.forget(recording.id)
    } else if (polls !== null) this.#polls.set(recording.id, polls)
  }

  /** How often it has been asked about by now; null where the answer came too late. */
  #heard(
    recording: Recording,
    session: RemoteSession,
    {
      requestId,
      mark,
      asked,
      isOpenAgain,
    }: {
      readonly requestId: string | null
      readonly mark: number
      readonly asked: number
      readonly isOpenAgain: boolean
    },
  ): number | 'over' | null {
    const { journal, clock } = this.world
    const { recordings } = journal
    const now = recordings.byId(recording.id)
    // A person was faster than the answer.
    if (now?.state !== 'processing' || now.sessionId !== session.id) return null
    // Before anything that it says is believed: a session of different content makes nothing safe.
    const mismatch = contentFailure(session, now, requestId)
    if (mismatch !== null) {
      carryOut(this.world, { kind: 'recording', recording: now }, mismatch)
      return asked
    }
    const summary = summaryOf(session)
    switch (stageOf(session.status)) {
      case 'processed':
        this.#processed(recording, summary, requestId)
        return 'over'
      case 'failed': {
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
        return 'over'
      }
      case 'uploading':
        if (isOpenAgain) return reopen(this.world, now, session, requestId) ? 'over' : asked
        recordings.patch(recording.id, {
          attempts: 0,
          ...(now.problem?.code === 'session-reopened' ? {} : { problem: null }),
          nextAttemptAtMs: clock.wallMs() + REOPENED_RETRY_DELAY_MS,
          session: summary,
        })
        return asked
      case 'unclear':
      case 'processing': {
        // An event that came while this answer was on its way knows more than the answer.
        const isOutOfDate = journal.events.cameSince(session.id, mark)
        // With its event here the session is as good as done, whatever the service still answers: it is asked soon.
        const isAnnounced = journal.events.cameSince(session.id, 0)
        const polls = isOutOfDate ? 0 : asked
        const gapMs = isOutOfDate
          ? 0
          : pollIntervalMs(polls - 1, this.#baseSeconds, this.#eventsArrive && !isAnnounced)
        recordings.patch(recording.id, {
          attempts: 0,
          problem: null,
          nextAttemptAtMs: lookAtMs(clock.wallMs(), gapMs, this.#phase),
          session: summary,
        })
        return polls
      }
    }
  }

  /** Copies that vanished while they waited for this one are safe with it. */
  #processed(recording: Recording, session: SessionSummary, requestId: string | null): void {
    const { journal } = this.world
    journal.transaction(() => {
      const processed = journal.recordings.transition(
        recording.id,
        'processing',
        { kind: 'processed' },
        { reason: 'processed', requestId, patch: { session } },
      )
      if (processed !== null)
        for (const copy of journal.recordings.vanishedWith(processed))
          shareWithVanished(journal, copy, processed)
    })
  }

  get #baseSeconds(): number {
    return this.world.settings()?.follow.poll_seconds ?? 15
  }

  /** While events arrive asking is rare; once they do not, what waits for long is asked about soon again. */
  #lookForEvents(): void {
    const { clock, journal } = this.world
    const before = this.#eventsArrive
    this.#eventsArrive = this.#events.arrive()
    if (before && !this.#eventsArrive)
      journal.work.capWaits('processing', clock.wallMs() + pollIntervalMs(0, this.#baseSeconds))
  }
}
