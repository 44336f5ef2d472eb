import type { Settings } from '../../../shared/settings.ts'
import type { Problem, ProblemCode } from '../../../shared/status.ts'
import { problemOf } from '../domain/problems.ts'
import { backOffMs } from '../domain/retry-policy.ts'
import { type Allowance, allowanceAt } from '../domain/upload-windows.ts'
import type { Journal } from '../journal/journal.ts'
import type { Clock, Random, StationGate } from '../ports.ts'

const LONGEST_PROBE_GAP_MS = 60_000

/**
 * What concerns the whole station: one problem instead of one per recording, and one probe instead of a
 * hundred retries. Pauses are in the journal, so that a terminal can set them and a restart keeps them.
 */
export class Gate implements StationGate {
  readonly #journal: Journal
  readonly #clock: Clock
  readonly #random: Random
  readonly #settings: () => Settings | null
  #problem: Problem | null = null
  #failures = 0
  #probeAtMs = 0
  #reachable: boolean | null = null
  #key = ''

  constructor(journal: Journal, clock: Clock, random: Random, settings: () => Settings | null) {
    this.#journal = journal
    this.#clock = clock
    this.#random = random
    this.#settings = settings
  }

  get problem(): Problem | null {
    return this.#problem
  }

  get reachable(): boolean | null {
    return this.#reachable
  }

  get trusted(): boolean {
    return this.#journal.station.trustedKey() === this.#key
  }

  get probeAtMs(): number {
    return this.#probeAtMs
  }

  allowance(): Allowance {
    const settings = this.#settings()
    return settings === null
      ? { kind: 'closed', opensAtMs: null }
      : allowanceAt(settings.transfer, this.#clock.wallMs())
  }

  isOpen(): boolean {
    return this.#problem === null && this.trusted && this.#settings() !== null
  }

  mayUpload(): boolean {
    return this.isOpen() && this.#journal.station.paused() === null && this.allowance().kind === 'open'
  }

  close(
    code: ProblemCode,
    details: { readonly detail?: string; readonly requestId?: string | null } = {},
  ): void {
    // Parts that fail together are one failure of the station, not four.
    const told = this.#problem?.code === code && this.#clock.monotonicMs() < this.#probeAtMs
    if (told) return
    if (code === 'key-other-organisation') this.#journal.station.refuseKey(this.#key)
    this.#failures += 1
    const gapMs = Math.min(backOffMs(this.#failures, this.#random), LONGEST_PROBE_GAP_MS)
    this.#probeAtMs = this.#clock.monotonicMs() + gapMs
    this.#reachable = code === 'service-unreachable' ? false : this.#reachable
    this.#set(problemOf(code, { ...details, nextAtMs: this.#clock.wallMs() + gapMs }))
  }

  open(): void {
    this.#reachable = true
    this.#failures = 0
    if (this.#problem !== null) this.#set(null)
  }

  /**
   * Another key may be of another organisation (§5.2): there every session of ours would seem lost, and every
   * recording would go to strangers. Nothing is asked with it until one of our sessions has answered to it.
   */
  connected(fingerprint: string): void {
    this.#key = fingerprint
    const { station, recordings } = this.#journal
    const known = this.trusted || recordings.knownSessions(1).length === 0
    if (known && (!this.trusted || station.refusedKey() !== null)) this.trust()
    this.open()
    this.probeNow()
  }

  trust(): void {
    this.#journal.station.trustKey(this.#key)
    this.open()
  }

  /** The world may be different now (woke up, new key, network back): look at once. */
  probeNow(): void {
    this.#failures = 0
    this.#probeAtMs = 0
  }

  #set(problem: Problem | null): void {
    this.#problem = problem
    // With a full disk the journal cannot take the note; the problem is in memory all the same.
    if (problem?.code !== 'disk-full') this.#journal.station.setStop(problem)
  }
}
