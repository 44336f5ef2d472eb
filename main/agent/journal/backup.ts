import path from 'node:path'
import Database from 'better-sqlite3'
import { type FileSteps, fileSteps, isHeld, patientlyBeside } from '../../local-files/held-file.ts'
import { BACKUP, quickCheckBeside } from './database.ts'

/** No copy was made; the journal itself is as good as it was. */
class NoBackupError extends Error {}

/** What SQLite keeps beside a database: left by a kill, it would be taken for the next copy's own. */
const suffixes = ['', '-journal', '-wal', '-shm']

/**
 * Whole or not at all: written beside and renamed. A damaged journal never takes the place of its last good copy. Only
 * what the check finds is damage: whatever goes wrong with the copy says nothing of the journal.
 */
export const backUp = async (
  db: Database.Database,
  dataFolder: string,
  steps: FileSteps = fileSteps,
): Promise<void> => {
  const answer = await quickCheckBeside(dataFolder)
  if (answer !== 'ok') throw new Database.SqliteError(answer, 'SQLITE_CORRUPT')
  const target = path.join(dataFolder, BACKUP)
  const beside = `${target}.new`
  const clear = () => {
    for (const suffix of suffixes) steps.remove(beside + suffix)
  }
  try {
    // One that a kill left behind: SQLite would read it before writing over it.
    await patientlyBeside(clear, steps)
    await db.backup(beside)
    await patientlyBeside(() => steps.rename(beside, target), steps)
  } catch (error) {
    try {
      clear()
    } catch {
      // Whoever holds it lets go of it some time; the next backup begins by removing it.
    }
    throw new NoBackupError(sentenceOf(error, target), { cause: error })
  }
}

const sentenceOf = (error: unknown, target: string): string =>
  isHeld(error)
    ? `The journal's backup ${target} cannot be replaced (${error.code}): another program holds it open. Exclude the data folder from virus scans and sync programs. Sluice tries again by itself; until then the last backup stands.`
    : `The journal's backup ${target} could not be written: ${error instanceof Error ? error.message : error}.`
