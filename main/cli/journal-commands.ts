import { systemClock } from '../../shared/clock/clock.ts'
import { type Paths, pathsOf } from '../../shared/paths/paths.ts'
import { type Journal, openJournalForCommand } from '../agent/journal/journal.ts'

/** Opens the journal for a command. A running agent notices changes in the journal at once. */
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
