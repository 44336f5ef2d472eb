import { systemClock } from '../../shared/clock/clock.ts'
import { type Paths, pathsOf } from '../../shared/paths/paths.ts'
import { type Journal, openJournalForCommand } from '../agent/journal/journal.ts'
import { refuseIfMoved } from '../local-files/moved-station.ts'

/** Opens the journal for a command. To change the journal, use `changeJournal`. */
export const withJournal = <T>(
  dataFolder: string,
  use: (journal: Journal) => T,
  paths: Paths = pathsOf(process.platform),
): T => {
  const journal = openJournalForCommand(dataFolder, systemClock.wallMs, paths)
  try {
    return use(journal)
  } finally {
    journal.close()
  }
}

/**
 * Opens the journal for a command that changes it. Throws an Error for the user if the station has moved or is being
 * moved. The check runs under the write lock, and a move waits for this lock between writing its marks and copying the
 * journal. So the change is either in the copy or refused.
 */
export const changeJournal = <T>(dataFolder: string, change: (journal: Journal) => T): T => {
  // Also check before opening: a folder into which a station is being moved may have no journal yet.
  refuseIfMoved(dataFolder)
  return withJournal(dataFolder, (journal) =>
    journal.transaction(() => {
      refuseIfMoved(dataFolder)
      return change(journal)
    }),
  )
}
