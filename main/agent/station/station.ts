import type { Settings } from '../../../shared/settings/settings.ts'
import {
  type ConditionName,
  conditionCodeOf,
  conditionNames,
  conditionOf,
} from '../../../shared/status/conditions.ts'
import type { Problem, ProblemCode } from '../../../shared/status/status.ts'
import type { Remote } from '../domain/failure.ts'
import {
  mayRequest,
  type PartGate,
  type PartInQuestion,
  partGate,
  type StationFacts,
} from '../domain/part-gate.ts'
import { problemOf } from '../domain/problems.ts'
import {
  backOffMs,
  LONGEST_PROBE_DELAY_MS,
  UNANSWERED_IS_UNREACHABLE_AFTER_MS,
} from '../domain/retry-policy.ts'
import { type Allowance, allowanceAt } from '../domain/upload-windows.ts'
import type { Journal } from '../journal/journal.ts'
import { isBusy } from '../journal/write-lock.ts'
import type { Clock, Random } from '../ports/clock.ts'
import type { StationConditions } from '../ports/station.ts'
import { ConditionActivity } from './condition-activity.ts'

/**
 * Hard case: A key of a different organisation.
 * Before Sluice uses an unknown key, it tries to read the station's own sessions with it. If the key can read
 * none, the station stops until the right key is set or a user accepts the new organisation.
 */

/** Shorter delays are not shown. */
const SHOWN_DELAY_FROM_MS = 5_000

/** Only an answer of the service or the storage can show that these are over. */
const provedByService = conditionNames.filter((name) => ['request', 'part'].includes(conditionOf(name).probe))
const remotes = ['control', 'storage'] as const satisfies readonly Remote[]

const isEndedByDelay = ({ problem }: Pick<Condition, 'problem'>): boolean =>
  conditionCodeOf(problem.code)?.isEndedByDelay === true

type Condition = {
  readonly problem: Problem
  readonly sinceMs: number
  readonly probeAtMs: number
  /** The service has answered no request, although none has failed yet. */
  readonly isUnanswered?: true
}

/**
 * The conditions of the whole station, each with its own probe and backoff. Pauses are in the journal, so that the CLI can
 * set them and a restart keeps them.
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
  readonly #denials = new Map<string, { readonly times: number; readonly sinceMs: number }>()
  readonly #activity: ConditionActivity
  #answeredAtMs: number | null = null
  /** Requests to the control API that the service can answer at once. */
  readonly #pending = new Set<{ readonly askedAtMs: number }>()
  #unansweredAfterMs = UNANSWERED_IS_UNREACHABLE_AFTER_MS
  #probedNowAtMs = 0
  #key = ''
  /** The conditions in the journal. Null after a start or a failed write: write them again. */
  #written: string | null = null

  constructor(journal: Journal, clock: Clock, random: Random, settings: () => Settings | null) {
    this.#journal = journal
    this.#clock = clock
    this.#activity = new ConditionActivity(journal, clock)
    this.#random = random
    this.#settings = settings
    const station = this
    const active = this.#conditions
    this.#facts = {
      get isConfigured() {
        return settings() !== null
      },
      get isPaused() {
        return journal.station.paused() !== null
      },
      get isInUploadHours() {
        return station.allowance().kind === 'open'
      },
      get uploadNow() {
        const now = journal.station.uploadNow()
        return now?.station === true ? 'station' : (now?.recordingIds ?? [])
      },
      get isKeyTrusted() {
        return station.trusted
      },
      get conditions() {
        return conditionNames.filter((name) => active.has(name))
      },
    }
  }

  /** Sorted, the most serious first. */
  get problems(): readonly Problem[] {
    return this.#shown().flatMap((name) => this.#conditions.get(name)?.problem ?? [])
  }

  /** The most serious condition that stops requests or parts. */
  get stop(): Problem | null {
    const name = this.#shown().find((shown) => conditionOf(shown).stops.length > 0)
    return name === undefined ? null : (this.#conditions.get(name)?.problem ?? null)
  }

  get reachable(): boolean | null {
    if (this.#conditions.has('control')) return this.code('control') === 'rate-limited'
    return this.#answeredAtMs === null ? null : true
  }

  get trusted(): boolean {
    return this.#journal.station.trustedKey() === this.#key
  }

  allowance(): Allowance {
    const settings = this.#settings()
    return settings === null
      ? { kind: 'closed', opensAtMs: null }
      : allowanceAt(settings.transfer, this.#clock.wallMs())
  }

  /** The limit of the upload hours while they last, otherwise the general limit. */
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
    return this.#shown().some((name) => conditionOf(name).stops.includes('requests'))
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
    const now = this.#clock.monotonicMs()
    const known = this.#conditions.get(name)
    // Four parts that fail together count as one failure.
    if (known?.problem.code === code && now < known.probeAtMs) return
    const delayMs = details.afterMs ?? this.#nextDelayMs(name)
    const { detail, requestId = null } = details
    const next = conditionOf(name).probe === 'none' ? {} : { nextAtMs: this.#clock.wallMs() + delayMs }
    const problem = problemOf(code, { detail, requestId, ...next })
    this.#conditions.set(name, { problem, sinceMs: known?.sinceMs ?? now, probeAtMs: now + delayMs })
    if (code === 'key-other-organisation') this.#note(() => this.#journal.station.refuseKey(this.#key))
    this.#writeConditions()
  }

  clear(name: ConditionName): void {
    this.#failures.delete(name)
    if (this.#conditions.delete(name)) this.#writeConditions()
  }

  probeDue(name: ConditionName): boolean {
    const condition = this.#conditions.get(name)
    return condition !== undefined && this.#clock.monotonicMs() >= condition.probeAtMs
  }

  /** A probe starts. It counts as failed until an answer arrives, so that the next one waits longer. */
  probing(name: ConditionName): void {
    const known = this.#conditions.get(name)
    if (known === undefined) return
    const delayMs = this.#nextDelayMs(name)
    const nextAt = new Date(this.#clock.wallMs() + delayMs).toISOString()
    const probeAtMs = this.#clock.monotonicMs() + delayMs
    this.#conditions.set(name, { ...known, problem: { ...known.problem, nextAt }, probeAtMs })
  }

  asking(): () => void {
    const request = { askedAtMs: this.#clock.monotonicMs() }
    this.#pending.add(request)
    return () => void this.#pending.delete(request)
  }

  /**
   * Call it each second. Shows a service that accepts requests but answers none as unreachable, long before the
   * first request times out. The pending requests continue: a slow answer still counts.
   */
  checkPending(): void {
    if (this.#pending.size === 0 || this.#conditions.has('control')) return
    const oldestMs = Math.min(...[...this.#pending].map(({ askedAtMs }) => askedAtMs))
    const silentMs =
      this.#clock.monotonicMs() - Math.max(oldestMs, this.#answeredAtMs ?? 0, this.#probedNowAtMs)
    if (silentMs < this.#unansweredAfterMs) return
    this.raise('control', 'service-unreachable', {
      detail: `no answer for ${Math.round(silentMs / 1000)} s`,
    })
    const raised = this.#conditions.get('control')
    if (raised !== undefined) this.#conditions.set('control', { ...raised, isUnanswered: true })
  }

  /**
   * A late answer ends the condition. The next answer may take as long, so a slow service is not shown as
   * unreachable again.
   */
  #expectSlowAnswers(askedAtMs: number): void {
    const tookMs = this.#clock.monotonicMs() - askedAtMs
    this.#unansweredAfterMs = Math.max(this.#unansweredAfterMs, 2 * tookMs)
  }

  /** The service or the storage answered. An answer to an earlier request does not end the condition. */
  answered(remote: Remote, askedAtMs: number): void {
    const condition = this.#conditions.get(remote)
    if (remote === 'control') this.#answeredAtMs = this.#clock.monotonicMs()
    if (condition?.isUnanswered === true) this.#expectSlowAnswers(askedAtMs)
    else if (condition !== undefined && (askedAtMs < condition.sinceMs || isEndedByDelay(condition))) return
    this.#streaks[remote] = 0
    const proven = this.#activity.prove(remote)
    this.clear(remote)
    if (proven) this.#note(() => this.#journal.transaction(() => this.#noteChanges()))
  }

  broke(remote: Remote): void {
    this.#streaks[remote] += 1
  }

  /** Counts consecutive answers that the session does not exist. A restart forgets them. */
  found(sessionId: string, isThere: boolean): void {
    const { times, sinceMs } = this.#denials.get(sessionId) ?? {
      times: 0,
      sinceMs: this.#clock.monotonicMs(),
    }
    if (isThere) this.#denials.delete(sessionId)
    else this.#denials.set(sessionId, { times: times + 1, sinceMs })
  }

  denied(sessionId: string): { readonly times: number; readonly forMs: number } {
    const denials = this.#denials.get(sessionId)
    if (denials === undefined) return { times: 0, forMs: 0 }
    return { times: denials.times, forMs: this.#clock.monotonicMs() - denials.sinceMs }
  }

  streak(remote: Remote): number {
    return this.#streaks[remote]
  }

  /**
   * A new key may belong to a different organisation (§5.2). With such a key, every session would seem lost, and
   * a different organisation would get every recording. So Sluice uses the key only after it has read one of our
   * sessions.
   */
  connected(fingerprint: string, origin: string): void {
    this.#key = fingerprint
    const { station, recordings } = this.#journal
    const known = this.trusted || recordings.knownSessions(1).length === 0
    // The key or the address changed, so the old key's problem ends without an activity entry.
    for (const name of ['key', 'organisation'] as const) this.#activity.forget(name)
    for (const name of remotes) this.#activity.awaitProof(name)
    for (const name of provedByService) this.clear(name)
    if (station.service() === null) station.setService(origin)
    recordings.setService(station.service() ?? origin, 'unknown')
    if (known && (!this.trusted || station.refusedKey() !== null)) station.trustKey(this.#key)
    this.probeNow()
  }

  /** The key can read one of the station's own sessions, so it belongs to the same organisation. */
  trust(): void {
    this.#journal.station.trustKey(this.#key)
    this.clear('organisation')
  }

  /** After a wake-up, a new key or a network change: probe at once. */
  probeNow(): void {
    this.#probedNowAtMs = this.#clock.monotonicMs()
    this.#failures.clear()
    this.#streaks.control = 0
    this.#streaks.storage = 0
    for (const [name, condition] of this.#conditions)
      if (!isEndedByDelay(condition)) this.#conditions.set(name, { ...condition, probeAtMs: 0 })
  }

  /** The names of the conditions that are shown, the most serious first. */
  #shown(): readonly ConditionName[] {
    const codes = new Set<ProblemCode>()
    return conditionNames.filter((name) => {
      const condition = this.#conditions.get(name)
      if (condition === undefined || this.#isBrief(condition)) return false
      // A PC without a network reaches neither the service nor the storage: that is one problem.
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
    return isEndedByDelay({ problem }) && probeAtMs - sinceMs < SHOWN_DELAY_FROM_MS
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
    this.#note(() =>
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
   * The journal cannot store the entry while the disk is full or another program locks the journal. The
   * condition still applies in memory, and the caller continues.
   */
  #note(write: () => void): void {
    if (this.#conditions.has('disk')) return
    try {
      write()
    } catch (error) {
      if (!isBusy(error)) throw error
      this.#written = null
    }
  }
}
