import { conditionCodeOf, conditionNames, conditionOf, probeOf } from '../../../shared/status/conditions.ts'
import { done, type Outcome } from '../domain/failure.ts'
import type { ServiceClient } from '../ports/service.ts'
import { applyDecision } from '../stage/apply-decision.ts'
import { StageOf } from '../stage/stage.ts'

/**
 * Hard case: 401, 403, no network, or the sign-in page of a network.
 * One condition stops the whole station, and one probe checks whether it is over. Recordings show no errors of
 * their own.
 */

/**
 * Hard case: The PC’s clock is set back.
 * The waits in the journal would last too long, so Sluice shortens them.
 */

const PROBER_INTERVAL_MS = 1_000
/** With less free space, Sluice stops writing, to leave space for the recorder and for a line in the log. */
const MIN_FREE_BYTES = 4 * 1024 * 1024
const DISK_CHECK_INTERVAL_MS = 15_000
const POWER_CHECK_INTERVAL_MS = 2_000
/**
 * If a key can read none of this many known sessions, it counts as a key of a different organisation. Sluice tries
 * several, because some may have been deleted.
 */
const SESSIONS_TO_READ = 5

/** A smaller step of the wall clock is an ordinary correction of drift. */
const CLOCK_STEP_MS = 10_000
/** A smaller difference from the service's clock is ordinary drift. */
const WRONG_CLOCK_MS = 5 * 60_000

const probedByRequest = conditionNames.filter((name) => conditionOf(name).probe === 'request')

/** Detects conditions of this PC, and probes whether other conditions have ended. */
export class Prober extends StageOf<
  | 'journal'
  | 'service'
  | 'station'
  | 'settings'
  | 'onBattery'
  | 'files'
  | 'dataFolder'
  | 'clock'
  | 'random'
  | 'log'
> {
  readonly name = 'prober'
  readonly states = [] as const
  #diskCheckAtMs = 0
  #powerCheckAtMs = 0
  /** The wall clock minus the monotonic clock. */
  #wallAheadMs: number | null = null

  async step(signal: AbortSignal): Promise<number> {
    const { station } = this.world
    await this.#checkPower()
    this.#shortenWaitsIfClockSetBack()
    await this.#checkDisk()
    this.#checkClock()
    if (station.code('organisation') !== null && station.isKeyTrusted) {
      this.world.log.info('a user accepted the organisation of the key')
      station.clear('organisation')
    }
    for (const name of conditionNames)
      if (conditionCodeOf(station.code(name) ?? '')?.isEndedByDelay === true && station.isProbeDue(name))
        station.clear(name)
    // Only a part can probe the storage. If there is no part to send, clear the condition.
    if (station.isProbeDue('storage') && !this.world.journal.work.has('uploading')) station.clear('storage')
    // §7: send no request before the delay is over, not even a probe.
    if (conditionCodeOf(station.code('control') ?? '')?.isEndedByDelay === true) return PROBER_INTERVAL_MS
    const isRequestDue = probedByRequest.some(
      (name) => station.isProbeDue(name) && probeOf(name, station.code(name) ?? '') === 'request',
    )
    if (station.code('disk') === null && (isRequestDue || this.#isKeyUntested()))
      await this.#probeService(signal)
    return PROBER_INTERVAL_MS
  }

  async #checkPower(): Promise<void> {
    const { station, settings, onBattery, clock } = this.world
    if (settings()?.transfer.pause_on_battery !== true) return station.clear('power')
    if (clock.monotonicMs() < this.#powerCheckAtMs) return
    this.#powerCheckAtMs = clock.monotonicMs() + POWER_CHECK_INTERVAL_MS
    if (!(await onBattery())) station.clear('power')
    else if (station.code('power') === null) station.raise('power', 'on-battery')
  }

  /**
   * True if the key needs its first probe. A failed probe raises a condition, and that condition has its own probes.
   */
  #isKeyUntested(): boolean {
    const { station } = this.world
    return !station.isKeyTrusted && probedByRequest.every((name) => !station.code(name))
  }

  /**
   * The journal stores waits in wall-clock time, so they would last too long after the clock is set back. If the
   * clock was set back before the start, the first step clears the affected waits.
   */
  #shortenWaitsIfClockSetBack(): void {
    const { clock, journal } = this.world
    const aheadMs = clock.wallMs() - clock.monotonicMs()
    const earlierAheadMs = this.#wallAheadMs
    if (earlierAheadMs === null) journal.transaction(() => journal.waits.forgetFuture())
    else if (earlierAheadMs - aheadMs > CLOCK_STEP_MS)
      journal.transaction(() => journal.waits.shorten(earlierAheadMs - aheadMs))
    // Set this only after the write. If the write throws, the next step must detect the change again.
    this.#wallAheadMs = aheadMs
  }

  async #checkDisk(): Promise<void> {
    const { station, files, dataFolder, clock } = this.world
    const isFull = station.code('disk') !== null
    if (isFull ? !station.isProbeDue('disk') : clock.monotonicMs() < this.#diskCheckAtMs) return
    this.#diskCheckAtMs = clock.monotonicMs() + DISK_CHECK_INTERVAL_MS
    const freeBytes = await files.freeBytes(dataFolder)
    if (freeBytes !== null && freeBytes < MIN_FREE_BYTES) station.raise('disk', 'disk-full')
    else station.clear('disk')
  }

  #checkClock(): void {
    const { station } = this.world
    const offsetMs = this.world.service()?.clockOffsetMs() ?? null
    if (offsetMs === null || Math.abs(offsetMs) < WRONG_CLOCK_MS) station.clear('clock')
    else if (station.code('clock') === null) {
      const minutes = Math.round(Math.abs(offsetMs) / 60_000)
      station.raise('clock', 'clock-wrong', {
        detail: `${minutes} minutes ${offsetMs > 0 ? 'behind' : 'ahead of'} the service`,
      })
    }
  }

  /** Sends only requests that create nothing. */
  async #probeService(signal: AbortSignal): Promise<void> {
    const { station, log } = this.world
    const service = this.world.service()
    if (service === null) return
    for (const name of probedByRequest) station.beginProbe(name)
    const isCurrent = () => !signal.aborted && service === this.world.service()
    const answer = await this.#probeOnce(service, signal)
    if (!isCurrent()) return
    if (!answer.ok) {
      applyDecision(this.world, { kind: 'probe' }, answer.failure)
      // A service that refuses the key has answered, so it is reachable.
      if (answer.failure.kind === 'auth') station.clear('control')
      return
    }
    if (answer.value === 'read') return station.raise('key', 'key-read-only')
    station.clear('key')
    station.clear('control')
    const sameOrganisation = await this.#isSameOrganisation(service, signal)
    if (!isCurrent()) return
    if (!sameOrganisation.ok) applyDecision(this.world, { kind: 'probe' }, sameOrganisation.failure)
    else if (sameOrganisation.value) {
      log.info('the service answers and accepts the key')
      station.trust()
    } else station.raise('organisation', 'key-other-organisation')
  }

  /** Usually lists one session. If the key was read-only, calls `testKey` to find out whether the key may write now. */
  async #probeOnce(
    service: ServiceClient,
    signal: AbortSignal,
  ): Promise<Outcome<'read' | 'write' | 'not-known'>> {
    if (this.world.station.code('key') === 'key-read-only') return service.testKey(signal)
    const list = await service.listSessions({ limit: 1 }, signal)
    // If the key may not list sessions, the service has still answered.
    return list.ok || list.failure.kind === 'list-refused' ? done('not-known') : list
  }

  /**
   * Whether the key belongs to the organisation that has this station's sessions. One readable session is proof. For
   * the key of a different organisation, the service answers 403 (§5.5), or 404 for every session. A station without
   * sessions accepts any key.
   */
  async #isSameOrganisation(service: ServiceClient, signal: AbortSignal): Promise<Outcome<boolean>> {
    const { station, journal } = this.world
    if (station.isKeyTrusted) return done(true)
    const sessions = journal.recordings.knownSessions(SESSIONS_TO_READ)
    for (const id of sessions) {
      const answer = await service.retrieveSession(id, signal)
      if (answer.ok) return done(true)
      const { kind } = answer.failure
      if (kind !== 'other-organisation' && kind !== 'not-found') return answer
    }
    return done(sessions.length === 0)
  }
}
