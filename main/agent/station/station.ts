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
import { backOffMs, LONGEST_PROBE_DELAY_MS } from '../domain/retry-policy.ts'
import { type Allowance, allowanceAt } from '../domain/upload-windows.ts'
import type { Journal } from '../journal/journal.ts'
import { isBusy } from '../journal/journal-hold.ts'
import type { Clock, Random } from '../ports/clock.ts'
import type { StationConditions } from '../ports/station.ts'

/** A wish to slow down that is over sooner than this is nobody's business. */
const TELL_SLOW_DOWN_FROM_MS = 5_000

type Noted = {
  readonly code: ProblemCode
  readonly problem: Problem
  readonly sinceMs: number
  readonly late: boolean
}

/** Only the service or the storage can show that these are over. */
const provedByService = conditionNames.filter((name) => ['request', 'part'].includes(conditionOf(name).probe))
const remotes = ['control', 'storage'] as const satisfies readonly Remote[]

const isEndedByDelay = ({ problem }: Pick<Condition, 'problem'>): boolean =>
  conditionCodeOf(problem.code)?.isEndedByDelay === true

type Condition = { readonly problem: Problem; readonly sinceMs: number; readonly probeAtMs: number }

/**
 * What concerns the whole station: a set of conditions instead of one problem per recording, each with its own probe
 * and back-off. Pauses are in the journal, so that a terminal can set them and a restart keeps them.
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
  /** What has been noted as begun and not as ended. `late`: a full disk keeps the journal from noting it. */
  readonly #noted = new Map<ConditionName, Noted>()
  /** Another connection was made: over only once it has answered. */
  readonly #unproven = new Set<ConditionName>()
  #heardAtMs: number | null = null
  #key = ''
  /** Null where the journal says what it was told before: by an earlier run, or until another program let go of it. */
  #told: string | null = null

  constructor(journal: Journal, clock: Clock, random: Random, settings: () => Settings | null) {
    this.#journal = journal
    this.#clock = clock
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
      get isKeyTrusted() {
        return station.trusted
      },
      get conditions() {
        return conditionNames.filter((name) => active.has(name))
      },
    }
  }

  /** The gravest first. */
  get problems(): readonly Problem[] {
    return this.#shown().flatMap((name) => this.#conditions.get(name)?.problem ?? [])
  }

  /** The gravest of those that keep the station from going on. */
  get stop(): Problem | null {
    const name = this.#shown().find((shown) => conditionOf(shown).stops.length > 0)
    return name === undefined ? null : (this.#conditions.get(name)?.problem ?? null)
  }

  get reachable(): boolean | null {
    if (this.#conditions.has('control')) return this.code('control') === 'rate-limited'
    return this.#heardAtMs === null ? null : true
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
    // Parts that fail together are one failure of the station, not four.
    if (known?.problem.code === code && now < known.probeAtMs) return
    const gapMs = details.afterMs ?? this.#nextGapMs(name)
    const { detail, requestId = null } = details
    const next = conditionOf(name).probe === 'none' ? {} : { nextAtMs: this.#clock.wallMs() + gapMs }
    const problem = problemOf(code, { detail, requestId, ...next })
    this.#conditions.set(name, { problem, sinceMs: known?.sinceMs ?? now, probeAtMs: now + gapMs })
    if (code === 'key-other-organisation') this.#note(() => this.#journal.station.refuseKey(this.#key))
    this.#tell()
  }

  clear(name: ConditionName): void {
    this.#failures.delete(name)
    if (this.#conditions.delete(name)) this.#tell()
  }

  probeDue(name: ConditionName): boolean {
    const condition = this.#conditions.get(name)
    return condition !== undefined && this.#clock.monotonicMs() >= condition.probeAtMs
  }

  /** One is on its way: until it is answered it counts as failed, so that the next comes later. */
  probing(name: ConditionName): void {
    const known = this.#conditions.get(name)
    if (known === undefined) return
    const gapMs = this.#nextGapMs(name)
    const nextAt = new Date(this.#clock.wallMs() + gapMs).toISOString()
    const probeAtMs = this.#clock.monotonicMs() + gapMs
    this.#conditions.set(name, { ...known, problem: { ...known.problem, nextAt }, probeAtMs })
  }

  /** It answered, to something that was asked after the trouble began. */
  heard(remote: Remote, askedAtMs: number): void {
    const condition = this.#conditions.get(remote)
    if (remote === 'control') this.#heardAtMs = this.#clock.monotonicMs()
    if (condition !== undefined && (askedAtMs < condition.sinceMs || isEndedByDelay(condition))) return
    this.#streaks[remote] = 0
    const proven = this.#unproven.delete(remote)
    this.clear(remote)
    if (proven) this.#note(() => this.#journal.transaction(() => this.#noteChanges()))
  }

  broke(remote: Remote): void {
    this.#streaks[remote] += 1
  }

  /** The service has, or has not, the session: said in a row, and forgotten in a restart. */
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
   * Another key may be of another organisation (§5.2): there every session of ours would seem lost, and every
   * recording would go to strangers. Nothing is asked with it until one of our sessions has answered to it.
   */
  connected(fingerprint: string, origin: string): void {
    this.#key = fingerprint
    const { station, recordings } = this.#journal
    const known = this.trusted || recordings.knownSessions(1).length === 0
    // Another key, or the same at another address: what was said of the old one is over without a word.
    for (const name of ['key', 'organisation'] as const) this.#noted.delete(name)
    for (const name of remotes) if (this.#noted.has(name)) this.#unproven.add(name)
    for (const name of provedByService) this.clear(name)
    if (station.service() === null) station.setService(origin)
    recordings.belongTo(station.service() ?? origin, 'unknown')
    if (known && (!this.trusted || station.refusedKey() !== null)) station.trustKey(this.#key)
    this.probeNow()
  }

  /** One of the station's own sessions answered to the key: it is the same organisation, wherever it is now. */
  trust(): void {
    this.#journal.station.trustKey(this.#key)
    this.clear('organisation')
  }

  /** The world may be different now (woke up, new key, network back): look at once. */
  probeNow(): void {
    this.#failures.clear()
    this.#streaks.control = 0
    this.#streaks.storage = 0
    for (const [name, condition] of this.#conditions)
      if (!isEndedByDelay(condition)) this.#conditions.set(name, { ...condition, probeAtMs: 0 })
  }

  /** The names of conditions that people see, the most serious first. */
  #shown(): readonly ConditionName[] {
    return conditionNames.filter((name) => {
      const condition = this.#conditions.get(name)
      return condition !== undefined && !this.#isBrief(condition)
    })
  }

  #nextGapMs(name: ConditionName): number {
    const failures = (this.#failures.get(name) ?? 0) + 1
    this.#failures.set(name, failures)
    return Math.min(backOffMs(failures, this.#random), LONGEST_PROBE_DELAY_MS)
  }

  #isBrief({ problem, sinceMs, probeAtMs }: Condition): boolean {
    return isEndedByDelay({ problem }) && probeAtMs - sinceMs < TELL_SLOW_DOWN_FROM_MS
  }

  /** Where the journal does not say what is so now. */
  tellAgain(): void {
    if (this.#told === null) this.#tell()
  }

  #tell(): void {
    const problems = this.problems
    const told = JSON.stringify(problems)
    if (told === this.#told) return
    this.#told = told
    const disk = this.#conditions.get('disk')
    if (disk !== undefined && !this.#noted.has('disk'))
      this.#noted.set('disk', {
        code: disk.problem.code,
        problem: disk.problem,
        sinceMs: this.#clock.wallMs(),
        late: true,
      })
    this.#note(() =>
      this.#journal.transaction(() => {
        this.#journal.station.setConditions(problems)
        this.#noteChanges()
      }),
    )
  }

  /** One entry where it begins, is another one, or is over. */
  #noteChanges(): void {
    const { activity } = this.#journal
    for (const name of conditionNames) {
      const condition = this.#conditions.get(name)
      const noted = this.#noted.get(name)
      if (condition !== undefined && !this.#isBrief(condition)) {
        const { problem } = condition
        this.#unproven.delete(name)
        if (noted?.code === problem.code) continue
        activity.note({ kind: 'condition-began', condition: name, problem }, { requestId: problem.requestId })
        const sinceMs = noted?.sinceMs ?? this.#clock.wallMs()
        this.#noted.set(name, { code: problem.code, problem, sinceMs, late: false })
      } else if (condition === undefined && noted !== undefined && !this.#unproven.has(name)) {
        const { problem, sinceMs, late } = noted
        if (late) activity.note({ kind: 'condition-began', condition: name, problem }, { atMs: sinceMs })
        activity.note({ kind: 'condition-ended', condition: name, since: new Date(sinceMs).toISOString() })
        this.#noted.delete(name)
      }
    }
  }

  /**
   * With a full disk the journal cannot take the note, nor while another program holds it; the condition is in memory
   * all the same. Whoever raised or ended it by an answer of the service goes on with that answer.
   */
  #note(write: () => void): void {
    if (this.#conditions.has('disk')) return
    try {
      write()
    } catch (error) {
      if (!isBusy(error)) throw error
      this.#told = null
    }
  }
}
