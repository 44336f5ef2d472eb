import { mayRestart } from '../../../shared/status/may-restart.ts'
import type { Status } from '../../../shared/status/status.ts'
import type { Clock, Log } from '../ports/clock.ts'
import type { InstalledProgram } from '../ports/installed-program.ts'
import type { StationConditions } from '../ports/station.ts'

const CHECK_INTERVAL_MS = 60_000
/**
 * Once a new version is installed, Sluice checks at this interval whether the station is idle. The first interval also
 * gives the package manager time to replace the remaining files. Each check builds a status, so a shorter interval
 * would use more processor time.
 */
const IDLE_CHECK_INTERVAL_MS = 10_000

type Needs = {
  readonly installed: InstalledProgram
  readonly station: Pick<StationConditions, 'raise' | 'clear'>
  readonly clock: Clock
  readonly log: Log
  readonly status: () => Pick<Status, 'counts' | 'standings'>
  /** Ends the agent, so that its service manager starts the new version. Null if nothing would start that version. */
  readonly restart: (() => void) | null
  /**
   * Tests whether the installed version can use the journal. Returns the reason if it cannot, or null. Never rejects.
   */
  readonly prove: () => Promise<string | null>
}

/**
 * Restarts after an update, as soon as the station is idle (`mayRestart`). First, the installed version proves on a
 * copy of the journal that it can use it. If it cannot, the old version keeps running and reports why.
 */
export class RestartCheck {
  readonly #needs: Needs
  #nextCheckAtMs: number
  #due: string | null = null
  #isBusy = false
  #isRefused = false

  constructor(needs: Needs) {
    this.#needs = needs
    this.#nextCheckAtMs = needs.clock.monotonicMs() + CHECK_INTERVAL_MS
  }

  tick(): void {
    const { installed, station, clock, status, restart } = this.#needs
    const nowMs = clock.monotonicMs()
    if (nowMs < this.#nextCheckAtMs) return
    const version = installed.replacement
    this.#nextCheckAtMs = nowMs + (version === null ? CHECK_INTERVAL_MS : IDLE_CHECK_INTERVAL_MS)
    if (version !== this.#due) {
      this.#due = version
      this.#isRefused = false
      station.clear('restart')
      if (version !== null) station.raise('restart', 'restart-due', { detail: version })
    } else if (
      version !== null &&
      restart !== null &&
      !this.#isBusy &&
      !this.#isRefused &&
      mayRestart(status())
    ) {
      this.#isBusy = true
      void this.#proveAndRestart(version, restart)
    }
  }

  async #proveAndRestart(version: string, restart: () => void): Promise<void> {
    const { station, prove, log, status } = this.#needs
    const reason = await prove()
    // During the proof, a different version may have been installed, or a recording may have begun.
    if (version !== this.#due || (reason === null && !mayRestart(status()))) {
      this.#isBusy = false
    } else if (reason !== null) {
      this.#isBusy = false
      this.#isRefused = true
      log.error('the installed version cannot take over', { version, why: reason })
      station.raise('restart', 'restart-refused', {
        detail: `version ${version}: ${reason.replace(/\.$/, '')}`,
      })
    } else {
      log.info('restarting with the installed version', { version })
      restart()
    }
  }
}
