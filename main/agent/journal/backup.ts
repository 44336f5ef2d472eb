import { closeSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import {
  type FileSteps,
  fileSteps,
  isFileInUse,
  retryWhileInUseAsync,
} from '../../local-files/file-in-use.ts'
import { createPlainFile } from '../../local-files/plain-file.ts'
import { BACKUP } from './journal-files.ts'
import { quickCheckInThread } from './quick-check.ts'

/**
 * Hard case: Another program holds the journal or its backup open.
 * Sluice retries for one second. If the file is still held, Sluice repeats the backup an hour later. A start that must
 * move a damaged journal fails, with an error that names the file.
 */

/** No backup was made. The journal itself is unaffected. */
class NoBackupError extends Error {}

/**
 * The suffixes of a database file and of the files that SQLite keeps next to it. A crash can leave these files
 * behind, and SQLite would treat them as part of the next copy.
 */
const databaseSuffixes = ['', '-journal', '-wal', '-shm']

/**
 * Writes the backup to a temporary name and renames it, so the backup is either complete or absent. Checks the journal
 * first, so that a damaged journal never replaces its last good backup. Throws a SqliteError if the journal is damaged,
 * and a NoBackupError if the copy fails.
 */
export const backUp = async (
  db: Database.Database,
  dataFolder: string,
  steps: FileSteps = fileSteps,
): Promise<void> => {
  const checkResult = await quickCheckInThread(dataFolder)
  if (checkResult !== 'ok') throw new Database.SqliteError(checkResult, 'SQLITE_CORRUPT')
  const target = path.join(dataFolder, BACKUP)
  const temporary = `${target}.new`
  const removeTemporary = () => {
    for (const suffix of databaseSuffixes) steps.remove(temporary + suffix)
  }
  try {
    // Remove files that a crash left behind: SQLite would read them before overwriting them.
    await retryWhileInUseAsync(removeTemporary, steps)
    // The owner of the data folder must own the backup, even if root runs this process. `createPlainFile` sets this
    // owner, and SQLite keeps it.
    closeSync(createPlainFile(temporary))
    await db.backup(temporary)
    await retryWhileInUseAsync(() => steps.rename(temporary, target), steps)
  } catch (error) {
    try {
      removeTemporary()
    } catch {
      // Another program still holds the file open. The next backup removes it first.
    }
    throw new NoBackupError(sentenceOf(error, target), { cause: error })
  }
}

const sentenceOf = (error: unknown, target: string): string =>
  isFileInUse(error)
    ? `The journal's backup ${target} cannot be replaced (${error.code}): another program holds it open. Exclude the data folder from virus scans and sync programs. Sluice retries by itself and keeps the last backup until then.`
    : `The journal's backup ${target} could not be written: ${error instanceof Error ? error.message : error}.`
