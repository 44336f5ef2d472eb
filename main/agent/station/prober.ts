import { done, type Outcome } from '../domain/failure.ts'
import type { ServiceClient } from '../ports/service.ts'
import { carryOut } from '../stage/apply-decision.ts'
import { StageOf } from '../stage/stage.ts'

const LOOK_MS = 1_000
/** The journal may not fill the last of the disk: the recorder on the same drive comes first. */
const FLOOR_BYTES = 4 * 1024 * 1024
const FLOOR_LOOK_MS = 15_000
/** Sessions asked about before a key is called foreign: a few may have been deleted over there. */
const WITNESSES = 5

const CLOCK_STEP_MS = 10_000
/** From here on a PC's clock is wrong rather than a little off. */
const WRONG_CLOCK_MS = 5 * 60_000

/** Each condition of the station has one question now and then, instead of one per recording. */
export class Prober extends StageOf<
  'journal' | 'service' | 'station' | 'files' | 'dataFolder' | 'clock' | 'random' | 'log'
> {
  readonly name = 'prober'
  readonly takes = [] as const
  #floorLookAtMs = 0
  /** The wall clock against the one that never goes back. */
  #wallAheadMs: number | null = null

  async step(signal: AbortSignal): Promise<number> {
    const { station } = this.world
    this.#heedClockSetBack()
    await this.#lookAtDisk()
    this.#lookAtClock()
    if (station.code('organisation') !== null && station.trusted) {
      this.world.log.info('a person accepted the organisation of the key')
      station.clear('organisation')
    }
    if (station.code('control') === 'rate-limited' && station.probeDue('control')) station.clear('control')
    // Parts are the storage's probe; with none to send there is nothing to find out.
    if (station.probeDue('storage') && !this.world.journal.work.has('uploading')) station.clear('storage')
    const due = (['key', 'organisation', 'control'] as const).some(
      (name) => station.probeDue(name) && station.code(name) !== 'key-missing',
    )
    if (station.code('disk') === null && (due || this.#isUntried())) await this.#askService(signal)
    return LOOK_MS
  }

  /** A key that nothing has been asked with, because it may be of another organisation. */
  #isUntried(): boolean {
    const { station } = this.world
    return (
      !station.trusted && (['key', 'organisation', 'control'] as const).every((name) => !station.code(name))
    )
  }

  /** Waits are written down by the wall clock, which people set. */
  #heedClockSetBack(): void {
    const { clock, journal } = this.world
    const aheadMs = clock.wallMs() - clock.monotonicMs()
    const before = this.#wallAheadMs
    if (before === null) journal.transaction(() => journal.work.forgetFutureWaits())
    else if (before - aheadMs > CLOCK_STEP_MS)
      journal.transaction(() => journal.work.pullForward(before - aheadMs))
    // Only after the write: a locked journal throws, and the next step must see the step of the clock again.
    this.#wallAheadMs = aheadMs
  }

  /** Stopping a little before the disk is full leaves room to write down why. */
  async #lookAtDisk(): Promise<void> {
    const { station, files, dataFolder, clock } = this.world
    const isFull = station.code('disk') !== null
    if (isFull ? !station.probeDue('disk') : clock.monotonicMs() < this.#floorLookAtMs) return
    this.#floorLookAtMs = clock.monotonicMs() + FLOOR_LOOK_MS
    const free = await files.freeBytes(dataFolder)
    if (free !== null && free < FLOOR_BYTES) station.raise('disk', 'disk-full')
    else station.clear('disk')
  }

  #lookAtClock(): void {
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

  /** Only reading: whether the key may write is known from the last answer to a write. */
  async #askService(signal: AbortSignal): Promise<void> {
    const { station, log } = this.world
    const service = this.world.service()
    if (service === null) return
    for (const name of ['key', 'organisation', 'control'] as const) station.probing(name)
    const isCurrent = () => !signal.aborted && service === this.world.service()
    const answer = await this.#ask(service, signal)
    if (!isCurrent()) return
    if (!answer.ok) {
      carryOut(this.world, { kind: 'probe' }, answer.failure)
      // It answers, if only with an error: recordings have their own patience with that.
      if (answer.failure.kind === 'auth') station.clear('control')
      return
    }
    if (answer.value === 'read') return station.raise('key', 'key-read-only')
    station.clear('key')
    station.clear('control')
    const ours = await this.#ours(service, signal)
    if (!isCurrent()) return
    if (!ours.ok) carryOut(this.world, { kind: 'probe' }, ours.failure)
    else if (ours.value) {
      log.info('the service can be used again')
      station.trust()
    } else station.raise('organisation', 'key-other-organisation')
  }

  /** A key that was refused a write is asked whether it may by now: there is no other way to know. */
  async #ask(service: ServiceClient, signal: AbortSignal): Promise<Outcome<'read' | 'write' | 'answers'>> {
    if (this.world.station.code('key') === 'key-read-only') return service.testKey(signal)
    const listed = await service.listSessions({ limit: 1 }, signal)
    // Whoever may not list has been answered all the same.
    return listed.ok || listed.failure.kind === 'list-refused' ? done('answers') : listed
  }

  /**
   * Whether the key opens the organisation that has our sessions: one that answers is proof. §5.5 forbids those
   * of others; a service that hides them instead answers 404 to every one, which deletions seldom do.
   */
  async #ours(service: ServiceClient, signal: AbortSignal): Promise<Outcome<boolean>> {
    const { station, journal } = this.world
    if (station.trusted) return done(true)
    const sessions = journal.recordings.knownSessions(WITNESSES)
    for (const id of sessions) {
      const answer = await service.retrieveSession(id, signal)
      if (answer.ok) return done(true)
      const { kind } = answer.failure
      if (kind !== 'other-organisation' && kind !== 'not-found') return answer
    }
    return done(sessions.length === 0)
  }
}
