import type { Paths } from '../../../shared/paths/paths.ts'
import { type Journal, openJournal } from '../journal/journal.ts'
import { takeAgentLock } from '../journal/lock.ts'
import type { Clock, Log } from '../ports/clock.ts'
import { logJournal } from '../station/log-journal.ts'
import { proveFirstStart } from './prove-start.ts'

/** While Sluice uploads many small recordings, about ten writes arrive in this interval and share one commit. */
const MIN_COMMIT_INTERVAL_MS = 8

/** Locks the data folder, opens its journal and logs any problem with the journal. */
export const openAgentJournal = (
  dataFolder: string,
  clock: Clock,
  paths: Paths,
  log: Log,
  version: string | null = null,
): {
  readonly journal: Journal
  readonly damage: { readonly restored: boolean } | null
  readonly releaseLock: () => void
} => {
  const { release } = takeAgentLock(dataFolder)
  proveFirstStart({ dataFolder, version, clock, paths }, log)
  const { journal, damage, lacksSchemaBackup } = openJournal(dataFolder, clock.wallMs, paths, {
    minIntervalMs: MIN_COMMIT_INTERVAL_MS,
    monotonicMs: clock.monotonicMs,
  })
  logJournal(journal, log)
  if (damage !== null)
    log.error(
      damage.restored
        ? 'the journal was damaged or missing, and its last backup was restored'
        : 'the journal was damaged or missing, and Sluice rebuilds it from the folders and the service',
      damage,
    )
  if (lacksSchemaBackup)
    log.warn(
      'the drive had no space for a copy of the journal before this update, so `sluice rollback` cannot undo the update',
    )
  return { journal, damage, releaseLock: release }
}
