import type { Settings } from '../../../shared/settings/settings.ts'
import {
  type ConditionName,
  conditionCodeOf,
  conditionNames,
  conditionOf,
} from '../../../shared/status/conditions.ts'
import type { Problem, ProblemCode, StationCondition } from '../../../shared/status/problem.ts'
import type { Remote } from '../domain/failure.ts'
import {
  mayRequest,
  type PartGate,
  type PartInQuestion,
  partGate,
  type StationFacts,
} from '../domain/part-gate.ts'
import { problemOf } from '../domain/problems.ts'
import { LONGEST_PROBE_DELAY_MS } from '../domain/retry-limits.ts'
import { backOffMs } from '../domain/retry-policy.ts'
import { type Allowance, allowanceAt } from '../domain/upload-windows.ts'
import type { Journal } from '../journal/journal.ts'
import { isBusy } from '../journal/write-lock.ts'
import type { Clock, Random } from '../ports/clock.ts'
import type { StationConditions } from '../ports/station.ts'
import { ConditionActivity } from './condition-activity.ts'
import { UnansweredRequests } from './unanswered-requests.ts'

/**
 * Hard case: A new key belongs to a different organisation.
 * Before Sluice uses an unknown key, it tests whether the key can read the station's own sessions. If the key can read
 * none, the station stops until it gets the right key or a user accepts the new organisation.
 */

/** A condition that ends by itself after a shorter delay is not shown. */
const MIN_SHOWN_DELAY_MS = 5_000

/** A request or a part probes these conditions. A new connection to the service ends them. */
const conditionsProbedRemotely = conditionNames.filter((name) =>
  ['request', 'part'].includes(conditionOf(name).probe),
)
const remotes = ['control', 'storage'] as const satisfies readonly Remote[]

const isEndedByDelay = ({ problem }: Pick<Condition, 'problem'>): boolean =>
  conditionCodeOf(problem.code)?.isEndedByDelay === true

type Condition = {
  readonly problem: StationCondition
  readonly sinceMs: number
  readonly probeAtMs: number
  /** True if the service answers no request, although no request has failed yet. */
  readonly isUnanswered?: true
}

/**
 * The conditions of the whole station, each with its own backoff. A pause is not a condition. The journal stores the
 * pause, so that commands in a terminal can set it.
 */
export class Station implements StationConditions {
  readonly #journal: Journal
  readonly #clock: Clock
  readonly #random: Random
  readonly #settings: () => Settings | null
  readonly #facts: StationFacts
  readonly #conditions = new Map<ConditionName, Condition>()
  readonly #failures = new Map<ConditionName, number>()
  readonly #streaks: Record<Remote, number> = { control: 0, storage: 0 }
  readonly #denials = new Map<string, { readonly count: number; readonly sinceMs: number }>()
  readonly #activity: ConditionActivity
  #unanswered: UnansweredRequests
  #key = ''
  /** The conditions in the journal, as JSON. Null if they must be written again. */
  #written: string | null = null

  constructor(journal: Journal, clock: Clock, random: Random, settings: () => Settings | null) {
    this.#journal = journal
    this.#clock = clock
    this.#activity = new ConditionActivity(journal, clock)
    this.#unanswered = new UnansweredRequests(clock)
    this.#random = random
    this.#settings = settings
    const station = this
    const activeConditions = this.#conditions
    this.#facts = {
      get isConfigured() {
        return settings() !== null
      },
      get isPaused() {
        return journal.station.currentPause() !== null
      },
      get isInUploadHours() {
        return station.allowance().kind === 'open'
      },
      get uploadNow() {
        const request = journal.station.uploadNow()
        return request?.station === true ? 'station' : (request?.recordingIds ?? [])
      },
      get isKeyTrusted() {
        return station.isKeyTrusted
      },
      get conditions() {
        return conditionNames.filter((name) => activeConditions.has(name))
      },
    }
  }

  /** All shown problems, the most serious first. */
  get problems(): readonly StationCondition[] {
    return this.#shownNames().flatMap((name) => this.#conditions.get(name)?.problem ?? [])
  }

  /** The most serious condition that stops requests or parts. */
  get stop(): Problem | null {
    const name = this.#shownNames().find((shownName) => conditionOf(shownName).stops.length > 0)
    return name === undefined ? null : (this.#conditions.get(name)?.problem ?? null)
  }

  get reachable(): boolean | null {
    if (this.#conditions.has('control')) return this.code('control') === 'rate-limited'
    return this.#unanswered.hasAnswered ? true : null
  }

  get isKeyTrusted(): boolean {
    return this.#journal.station.trustedKey() === this.#key
  }

  allowance(): Allowance {
    const settings = this.#settings()
    return settings === null
      ? { kind: 'closed', opensAtMs: null }
      : allowanceAt(settings.transfer, this.#clock.wallMs())
  }

  /** The limit during the upload hours, or the general limit. */
  get limitMbitPerS(): number | null {
    const allowance = this.allowance()
    if (allowance.kind === 'open') return allowance.limitMbitPerS
    return this.#settings()?.transfer.limit_mbit_per_s ?? null
  }

  code(name: ConditionName): ProblemCode | null {
    return this.#conditions.get(name)?.problem.code ?? null
  }

  mayRequest(): boolean {
    return mayRequest(this.#facts)
  }

  partGate(part?: PartInQuestion): PartGate {
    return partGate(this.#facts, part)
  }

  mayStartPart(part?: PartInQuestion): boolean {
    return this.partGate(part).kind === 'open'
  }

  get stopsRequests(): boolean {
    return this.#shownNames().some((name) => conditionOf(name).stops.includes('requests'))
  }

  raise(
    name: ConditionName,
    code: ProblemCode,
    details: {
      readonly detail?: string | undefined
      readonly requestId?: string | null
      readonly afterMs?: number | null
    } = {},
  ): void {
    const nowMs = this.#clock.monotonicMs()
    const earlier = this.#conditions.get(name)
    // Parts that fail together count as one failure.
    if (earlier?.problem.code === code && nowMs < earlier.probeAtMs) return
    const delayMs = details.afterMs ?? this.#nextDelayMs(name)
    const { detail, requestId = null } = details
    const nextAttempt = conditionOf(name).probe === 'none' ? {} : { nextAtMs: this.#clock.wallMs() + delayMs }
    const since = earlier?.problem.since ?? new Date(this.#clock.wallMs()).toISOString()
    const problem = { ...problemOf(code, { detail, requestId, ...nextAttempt }), since }
    this.#conditions.set(name, { problem, sinceMs: earlier?.sinceMs ?? nowMs, probeAtMs: nowMs + delayMs })
    if (code === 'key-other-organisation') this.#tryToWrite(() => this.#journal.station.refuseKey(this.#key))
    this.#writeConditions()
  }

  clear(name: ConditionName): void {
    this.#failures.delete(name)
    if (this.#conditions.delete(name)) this.#writeConditions()
  }

  isProbeDue(name: ConditionName): boolean {
    const condition = this.#conditions.get(name)
    return condition !== undefined && this.#clock.monotonicMs() >= condition.probeAtMs
  }

  /**
   * Call when a probe starts. The probe counts as failed until an answer arrives, so that the next one waits longer.
   */
  beginProbe(name: ConditionName): void {
    const condition = this.#conditions.get(name)
    if (condition === undefined) return
    const delayMs = this.#nextDelayMs(name)
    const nextAt = new Date(this.#clock.wallMs() + delayMs).toISOString()
    const probeAtMs = this.#clock.monotonicMs() + delayMs
    this.#conditions.set(name, { ...condition, problem: { ...condition.problem, nextAt }, probeAtMs })
  }

  beginRequest(): () => void {
    return this.#unanswered.begin()
  }

  /**
   * Raises a condition if the service has not answered for too long. Call this each second. Pending requests continue.
   */
  checkPending(): void {
    const unansweredMs = this.#conditions.has('control') ? null : this.#unanswered.overdueMs()
    if (unansweredMs === null) return
    this.raise('control', 'service-unreachable', {
      detail: `no answer for ${Math.round(unansweredMs / 1000)} s`,
    })
    const raised = this.#conditions.get('control')
    if (raised !== undefined) this.#conditions.set('control', { ...raised, isUnanswered: true })
  }

  /**
   * Call when an answer arrives. Ends the condition of this remote, unless the answered request was sent before the
   * condition began, or the condition ends by itself after a delay.
   */
  noteAnswer(remote: Remote, sentAtMs: number): void {
    const condition = this.#conditions.get(remote)
    if (remote === 'control') this.#unanswered.noteAnswer()
    // This condition began because answers were late, so even a late answer ends it.
    if (condition?.isUnanswered === true) this.#unanswered.noteLateAnswer(sentAtMs)
    else if (condition !== undefined && (sentAtMs < condition.sinceMs || isEndedByDelay(condition))) return
    this.#streaks[remote] = 0
    const wasAwaited = this.#activity.noteAnswer(remote)
    this.clear(remote)
    if (wasAwaited) this.#tryToWrite(() => this.#journal.transaction(() => this.#noteChanges()))
  }

  noteFailure(remote: Remote): void {
    this.#streaks[remote] += 1
  }

  /** Counts how many times in a row the service has denied the session (`isDenial`). */
  noteSession(sessionId: string, exists: boolean): void {
    const { count, sinceMs } = this.#denials.get(sessionId) ?? {
      count: 0,
      sinceMs: this.#clock.monotonicMs(),
    }
    if (exists) this.#denials.delete(sessionId)
    else this.#denials.set(sessionId, { count: count + 1, sinceMs })
  }

  denialsOf(sessionId: string): { readonly count: number; readonly durationMs: number } {
    const denials = this.#denials.get(sessionId)
    if (denials === undefined) return { count: 0, durationMs: 0 }
    return { count: denials.count, durationMs: this.#clock.monotonicMs() - denials.sinceMs }
  }

  streak(remote: Remote): number {
    return this.#streaks[remote]
  }

  /** Call when the connection to the service is replaced. */
  forgetAnswers(): void {
    this.#unanswered = new UnansweredRequests(this.#clock)
  }

  /**
   * A new key may belong to a different organisation (§5.2). With such a key, every session would seem lost, and every
   * recording would go to the wrong organisation. So Sluice first tests whether the key can read one of the station's
   * sessions.
   */
  setKey(fingerprint: string, origin: string): void {
    this.#key = fingerprint
    const { station, recordings } = this.#journal
    const mayTrust = this.isKeyTrusted || recordings.knownSessions(1).length === 0
    // The problems of the earlier key end without an activity entry.
    for (const name of ['key', 'organisation'] as const) this.#activity.forget(name)
    for (const name of remotes) this.#activity.awaitAnswer(name)
    for (const name of conditionsProbedRemotely) this.clear(name)
    if (station.service() === null) station.setService(origin)
    recordings.setService(station.service() ?? origin, 'unknown')
    if (mayTrust && (!this.isKeyTrusted || station.refusedKey() !== null)) station.trustKey(this.#key)
    this.probeNow()
  }

  /** Call when the key is known to belong to the organisation of this station's sessions. */
  trust(): void {
    this.#journal.station.trustKey(this.#key)
    this.clear('organisation')
  }

  /**
   * Makes every probe due at once, except for conditions that end by themselves after a delay. Call after sleep, a new
   * key or a network change.
   */
  probeNow(): void {
    this.#unanswered.reset()
    this.#failures.clear()
    this.#streaks.control = 0
    this.#streaks.storage = 0
    for (const [name, condition] of this.#conditions)
      if (!isEndedByDelay(condition)) this.#conditions.set(name, { ...condition, probeAtMs: 0 })
  }

  /** The names of the conditions that are shown, the most serious first. */
  #shownNames(): readonly ConditionName[] {
    const codes = new Set<ProblemCode>()
    return conditionNames.filter((name) => {
      const condition = this.#conditions.get(name)
      if (condition === undefined || this.#isBrief(condition)) return false
      // Without a network, the service and the storage have the same problem, so show it only once.
      const isNew = !codes.has(condition.problem.code)
      codes.add(condition.problem.code)
      return isNew
    })
  }

  #nextDelayMs(name: ConditionName): number {
    const failures = (this.#failures.get(name) ?? 0) + 1
    this.#failures.set(name, failures)
    return Math.min(backOffMs(failures, this.#random), LONGEST_PROBE_DELAY_MS)
  }

  #isBrief({ problem, sinceMs, probeAtMs }: Condition): boolean {
    return isEndedByDelay({ problem }) && probeAtMs - sinceMs < MIN_SHOWN_DELAY_MS
  }

  /** Writes the conditions into the journal again if the last write failed. */
  retryWriting(): void {
    if (this.#written === null) this.#writeConditions()
  }

  #writeConditions(): void {
    const problems = this.problems
    const written = JSON.stringify(problems)
    if (written === this.#written) return
    this.#written = written
    const disk = this.#conditions.get('disk')
    if (disk !== undefined) this.#activity.noteLater('disk', disk.problem)
    this.#tryToWrite(() =>
      this.#journal.transaction(() => {
        this.#journal.station.setConditions(problems)
        this.#noteChanges()
      }),
    )
  }

  #noteChanges(): void {
    this.#activity.noteChanges((name) => {
      const condition = this.#conditions.get(name)
      if (condition === undefined) return null
      return this.#isBrief(condition) ? 'brief' : condition.problem
    })
  }

  /**
   * Writes to the journal. If the journal cannot be written now, the conditions still apply in memory, and the caller
   * continues.
   */
  #tryToWrite(write: () => void): void {
    if (this.#conditions.has('disk')) return
    try {
      write()
    } catch (error) {
      if (!isBusy(error)) throw error
      this.#written = null
    }
  }
}
