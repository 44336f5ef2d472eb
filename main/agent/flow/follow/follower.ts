import type { SessionSummary } from '../../../../shared/status/status.ts'
import { type ListWindow, listWindows } from '../../domain/list-window.ts'
import { pollAtMs, pollIntervalMs } from '../../domain/poll-interval.ts'
import { CUT_OFF_REASON, problemOf } from '../../domain/problems.ts'
import {
  LIST_RETRIES,
  LONGEST_LIST_RETRY_DELAY_MS,
  REOPENED_RETRY_DELAY_MS,
} from '../../domain/retry-limits.ts'
import { backOffMs } from '../../domain/retry-policy.ts'
import { contentFailure } from '../../domain/session-content.ts'
import { stageOf, summaryOf } from '../../domain/session-summary.ts'
import type { Recording } from '../../journal/journal.ts'
import type { RemoteSession, ServiceClient } from '../../ports/service.ts'
import { EventArrival } from '../../sessions/event-arrival.ts'
import { listedSessions } from '../../sessions/listed-sessions.ts'
import { reopen } from '../../sessions/reopen-session.ts'
import { ReopenedSessions } from '../../sessions/reopened-sessions.ts'
import { shareWithVanished } from '../../sessions/same-content.ts'
import { applyDecision } from '../../stage/apply-decision.ts'
import { Jobs } from '../../stage/jobs.ts'
import { StageOf } from '../../stage/stage.ts'
import { ListTrust } from './list-trust.ts'

/**
 * Hard case: The key has no permission to list sessions (only the list answers 403).
 * The follower polls each session separately, and uploads continue. Only a recording that may already have a session
 * waits and shows a problem, because the opener cannot find that session.
 */

const CHECK_INTERVAL_MS = 5_000
const MAX_CONCURRENT = 4
const MAX_DUE = 500
/** After this many polls, the follower may sample a session with a separate poll, because the list may be stale. */
const SAMPLE_AFTER_POLLS = 3

const hasEnded = ({ status }: RemoteSession): boolean => ['processed', 'failed'].includes(stageOf(status))

/** Polls completed sessions until the service has processed them or reports why not. */
export class Follower extends StageOf<
  'journal' | 'service' | 'station' | 'clock' | 'random' | 'settings' | 'guard' | 'wake' | 'webhooks'
> {
  readonly name = 'follower'
  readonly states = ['processing'] as const
  readonly #jobs = new Jobs(this.world, 'processing')
  /**
   * Recordings that the list omits or shows as `uploading`. They need separate polls, because the next list would not
   * help.
   */
  readonly #unlisted = new Set<number>()
  /** Polls per recording. A restart resets the numbers, which only makes the next poll come sooner. */
  readonly #polls = new Map<number, number>()
  /** True at first, so that the first check shortens long waits if no events arrive. */
  #eventsArrive = true
  readonly #events = new EventArrival(this.world)
  readonly #phase = this.world.random()
  readonly #listTrust = new ListTrust(this.world.clock)
  readonly #reopened = new ReopenedSessions(this.world.clock)
  #listFailures = 0
  #nextListAtMs = Number.NEGATIVE_INFINITY

  async step(signal: AbortSignal): Promise<number> {
    const { journal, station, clock } = this.world
    const service = this.world.service()
    if (service === null || !station.mayRequest()) return CHECK_INTERVAL_MS
    this.#checkEvents()
    const freeSlots = MAX_CONCURRENT - this.#jobs.ids.length
    if (freeSlots <= 0) return CHECK_INTERVAL_MS
    const polledAtMs = clock.wallMs()
    const dueRecordings = journal.work.due('processing', polledAtMs, MAX_DUE, this.#jobs.ids)
    const needsOwnPoll = ({ id }: Recording) => this.#listTrust.isDistrusted || this.#unlisted.has(id)
    const { windows, singles } = listWindows(dueRecordings.filter((recording) => !needsOwnPoll(recording)))
    const separateRecordings = [...dueRecordings.filter(needsOwnPoll), ...singles]
    for (const window of windows) {
      if (this.#listTrust.isDistrusted) separateRecordings.push(...window.wanted)
      if (this.#listTrust.isDistrusted || this.#msUntilList() > 0) continue
      for (const recording of await this.#pollByList(window, service, signal)) {
        this.#unlisted.add(recording.id)
        separateRecordings.push(recording)
      }
    }
    if (!station.mayRequest() || signal.aborted) return CHECK_INTERVAL_MS
    // While the list fails, a sample would not show whether the list is stale.
    const sample = this.#msUntilList() > 0 ? undefined : this.#sampleOf(windows)
    if (sample !== undefined)
      this.#jobs.begin(sample.id, this.name, () => this.#poll(sample, service, signal, 'sample'))
    for (const recording of separateRecordings.slice(0, MAX_CONCURRENT - this.#jobs.ids.length)) {
      this.#unlisted.delete(recording.id)
      this.#jobs.begin(recording.id, this.name, () => this.#poll(recording, service, signal))
    }
    if (windows.length > 0 && this.#msUntilList() > 0) return Math.min(this.#msUntilList(), CHECK_INTERVAL_MS)
    return journal.work.nextCheckMs('processing', polledAtMs, CHECK_INTERVAL_MS)
  }

  #msUntilList(): number {
    return this.#nextListAtMs - this.world.clock.monotonicMs()
  }

  close(): Promise<void> {
    return this.#jobs.ended()
  }

  /**
   * Polls by list, and returns the recordings that need a separate poll: the list omits them or shows them as
   * `uploading`. If the key may not list sessions, returns all recordings that are left. If the list fails, returns
   * none at first: a single 503 must not cause hundreds of requests to an overloaded service.
   */
  async #pollByList(
    window: ListWindow<Recording>,
    service: ServiceClient,
    signal: AbortSignal,
  ): Promise<Recording[]> {
    const { journal, station, clock, random } = this.world
    const remaining = new Map(window.wanted.map((recording) => [recording.sessionId, recording]))
    const mark = journal.events.mark()
    for await (const page of listedSessions(window, service, signal)) {
      if (!page.ok) {
        if (page.failure.kind === 'list-refused') {
          this.#listTrust.noteRefusal()
          return [...remaining.values()]
        }
        applyDecision(this.world, { kind: 'station' }, page.failure)
        this.#listFailures += 1
        this.#nextListAtMs =
          clock.monotonicMs() + backOffMs(this.#listFailures, random, LONGEST_LIST_RETRY_DELAY_MS)
        return this.#listFailures < LIST_RETRIES ? [] : [...remaining.values()]
      }
      this.#listFailures = 0
      const { sessions, requestId } = page.value
      await Promise.all(
        sessions.flatMap((session) => {
          // The session may have been reopened, and the list does not show missing parts. So poll it separately.
          if (stageOf(session.status) === 'uploading') return []
          const recording = remaining.get(session.id) ?? this.#findEndedRecording(session)
          remaining.delete(session.id)
          return recording === null ? [] : [this.#receive(recording, session, requestId, mark)]
        }),
      )
      if (!station.mayRequest() || signal.aborted) return []
    }
    return [...remaining.values()]
  }

  /** An unfinished recording that has been polled several times. */
  #sampleOf(windows: readonly ListWindow<Recording>[]): Recording | undefined {
    return windows
      .flatMap(({ wanted }) => wanted)
      .find(({ id }) => !this.#unlisted.has(id) && (this.#polls.get(id) ?? 0) >= SAMPLE_AFTER_POLLS)
  }

  /** Finds the recording of an ended session, even if the recording is not due yet. This saves a separate poll. */
  #findEndedRecording(session: RemoteSession): Recording | null {
    if (!hasEnded(session)) return null
    const { recordings } = this.world.journal
    return recordings.bySession(session.id).find(({ state }) => state === 'processing') ?? null
  }

  async #poll(
    recording: Recording,
    service: ServiceClient,
    signal: AbortSignal,
    purpose: 'status' | 'sample' = 'status',
  ): Promise<void> {
    const { journal, clock } = this.world
    if (recording.sessionId === null) throw new Error('processing without a session')
    const mark = journal.events.mark()
    const answer = await service.retrieveSession(recording.sessionId, signal)
    if (answer.ok) {
      const { value: session, requestId } = answer.value
      await this.#receive(recording, session, requestId, mark, 'session')
      if (purpose === 'sample' && this.#listTrust.noteSample(hasEnded(session)))
        journal.waits.cap('processing', clock.wallMs())
      return
    }
    const { failure } = answer
    if (applyDecision(this.world, { kind: 'recording', recording }, failure) !== 'session-lost') return
    if (failure.kind !== 'not-found' && failure.kind !== 'other-organisation') return
    const { requestId } = failure
    const isElsewhere = failure.kind === 'other-organisation'
    const problem = problemOf(isElsewhere ? 'session-elsewhere' : 'session-deleted', { requestId })
    journal.recordings.transition(
      recording.id,
      'processing',
      { kind: 'deleted-at-service' },
      {
        reason: isElsewhere ? problem.sentence : 'the session was deleted at the service',
        requestId,
        patch: { problem },
      },
    )
  }

  /**
   * Stores an answer, in one commit with other answers that arrive at the same time. `mark`: the last stored event
   * before the request.
   */
  async #receive(
    recording: Recording,
    session: RemoteSession,
    requestId: string | null,
    mark: number,
    source: 'session' | 'list' = 'list',
  ): Promise<void> {
    const pollCount = (this.#polls.get(recording.id) ?? 0) + 1
    const isOpenAgain =
      source === 'session' && this.#reopened.recordPoll(recording.id, stageOf(session.status) === 'uploading')
    // Count after the commit, because `commit` may run its function twice.
    const polls = await this.world.journal.commit(() =>
      this.#apply(recording, session, { requestId, mark, pollCount, isOpenAgain }),
    )
    if (polls === 'over') {
      this.#polls.delete(recording.id)
      this.#reopened.forget(recording.id)
    } else if (polls !== null) this.#polls.set(recording.id, polls)
  }

  /** Returns the number of polls so far. Returns `over` if the polls are done, or null if the answer came too late. */
  #apply(
    recording: Recording,
    session: RemoteSession,
    {
      requestId,
      mark,
      pollCount,
      isOpenAgain,
    }: {
      readonly requestId: string | null
      readonly mark: number
      readonly pollCount: number
      readonly isOpenAgain: boolean
    },
  ): number | 'over' | null {
    const { journal, clock } = this.world
    const { recordings } = journal
    const current = recordings.byId(recording.id)
    // The recording changed during the request, for example by a user's retry.
    if (current?.state !== 'processing' || current.sessionId !== session.id) return null
    // Check the content first: a session with different content does not make the recording safe.
    const mismatch = contentFailure(session, current, requestId)
    if (mismatch !== null) {
      applyDecision(this.world, { kind: 'recording', recording: current }, mismatch)
      return pollCount
    }
    const summary = summaryOf(session)
    switch (stageOf(session.status)) {
      case 'processed':
        this.#markProcessed(recording, summary, requestId)
        return 'over'
      case 'failed': {
        const worst = session.issues.find((issue) => issue.severity === 'error') ?? session.issues[0]
        const detail = worst?.detail ?? worst?.code
        const problem = problemOf(
          this.#isCutOff(recording.id) ? 'recording-incomplete' : 'processing-failed',
          {
            requestId,
            ...(detail === undefined ? {} : { detail }),
          },
        )
        recordings.transition(
          recording.id,
          'processing',
          { kind: 'processing-failed' },
          { reason: problem.sentence, requestId, patch: { session: summary, problem } },
        )
        return 'over'
      }
      case 'uploading':
        if (isOpenAgain) return reopen(this.world, current, session, requestId) ? 'over' : pollCount
        recordings.patch(recording.id, {
          attempts: 0,
          ...(current.problem?.code === 'session-reopened' ? {} : { problem: null }),
          nextAttemptAtMs: clock.wallMs() + REOPENED_RETRY_DELAY_MS,
          session: summary,
        })
        return pollCount
      case 'unclear':
      case 'processing': {
        // An event that arrived since the request is newer than this answer, so poll again at once.
        const isOutOfDate = journal.events.hasArrivedSince(session.id, mark)
        // Any event of this session means that the session has ended, even if this answer lags. So poll again soon.
        const hasEvent = journal.events.hasArrivedSince(session.id, 0)
        const polls = isOutOfDate ? 0 : pollCount
        const delayMs = isOutOfDate
          ? 0
          : pollIntervalMs(polls - 1, this.#baseSeconds, this.#eventsArrive && !hasEvent)
        recordings.patch(recording.id, {
          attempts: 0,
          problem: null,
          nextAttemptAtMs: pollAtMs(clock.wallMs(), delayMs, this.#phase),
          session: summary,
        })
        return polls
      }
    }
  }

  /**
   * Whether the recording is cut off. A clear result of the inspection counts more than the result of the settler: in
   * some formats, the settler cannot see that the end is missing.
   */
  #isCutOff(recordingId: number): boolean {
    const { views, inspections } = this.world.journal
    const completeness = inspections.of(recordingId)?.completeness
    if (completeness === 'complete') return false
    return (
      completeness === 'cut-off' ||
      views.timeline(recordingId).some(({ reason }) => reason === CUT_OFF_REASON)
    )
  }

  /** Another recording with the same content becomes safe too if its file vanished after the hashing. */
  #markProcessed(recording: Recording, session: SessionSummary, requestId: string | null): void {
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

  /** While events arrive, polls are rare. When events stop, the follower shortens the long waits. */
  #checkEvents(): void {
    const { clock, journal } = this.world
    const didEventsArrive = this.#eventsArrive
    this.#eventsArrive = this.#events.areArriving()
    if (didEventsArrive && !this.#eventsArrive)
      journal.waits.cap('processing', clock.wallMs() + pollIntervalMs(0, this.#baseSeconds))
  }
}
