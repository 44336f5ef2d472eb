import type { Journal } from '../journal/journal.ts'
import { isDamaged } from '../journal/journal-errors.ts'
import type { Clock, Log } from '../ports/clock.ts'
import type { ReportError } from '../stage/error-reporter.ts'

const BACKUP_INTERVAL_MS = 3_600_000

type Needs = {
  readonly journal: Journal
  readonly clock: Clock
  readonly log: Log
  readonly reportError: ReportError
}

export class HourlyBackup {
  readonly #needs: Needs
  #backedUpAtMs: number
  #running: Promise<void> | null = null

  constructor(needs: Needs) {
    this.#needs = needs
    this.#backedUpAtMs = needs.clock.monotonicMs()
  }

  tick(): void {
    const nowMs = this.#needs.clock.monotonicMs()
    if (nowMs - this.#backedUpAtMs <= BACKUP_INTERVAL_MS) return
    this.#backedUpAtMs = nowMs
    void this.backUp()
  }

  /**
   * If a backup is running, waits for it. Two backups would write the same file, and could replace the last backup with
   * a half-written one.
   */
  backUp(): Promise<void> {
    this.#running ??= this.#backUp().finally(() => {
      this.#running = null
    })
    return this.#running
  }

  /** Reports a damaged journal. Every other failure of a backup is only logged, because it stops no work. */
  async #backUp(): Promise<void> {
    const { journal, log, reportError } = this.#needs
    try {
      await journal.backup()
    } catch (error) {
      if (isDamaged(error)) reportError(error, 'the backup')
      else log.warn('backup failed', { error: String(error) })
    }
  }
}
