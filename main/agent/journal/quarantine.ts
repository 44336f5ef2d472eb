import { existsSync } from 'node:fs'
import path from 'node:path'
import { type FileSteps, isFileInUse, retryWhileInUse } from '../../local-files/file-in-use.ts'
import { makeFolder } from '../../local-files/make-folder.ts'
import { JournalHeldError } from './journal-errors.ts'
import { BACKUP, FILE, JOURNAL_FILES } from './journal-files.ts'

/**
 * If Sluice cannot rename the backup, it copies the backup to this name, and then renames the copy to `journal.db`.
 */
const RESTORING = 'journal.restoring.db'

export const quarantine = (dataFolder: string, atMs: number, steps: FileSteps): string => {
  const folder = path.join(dataFolder, `damaged-${new Date(atMs).toISOString().replace(/[:.]/g, '-')}`)
  makeFolder(folder)
  for (const name of JOURNAL_FILES) {
    const file = path.join(dataFolder, name)
    if (existsSync(file)) moveFile(file, path.join(folder, name), steps)
  }
  return folder
}

export const moveFile = (from: string, to: string, steps: FileSteps): void => {
  try {
    retryWhileInUse(() => steps.rename(from, to), steps)
  } catch (error) {
    if (!isFileInUse(error)) throw error
    throw new JournalHeldError(`The journal is damaged, and ${from} cannot be moved`, error.code)
  }
}

/** Renames the backup to `journal.db`, or copies it: a program that blocks the rename may still allow reading. */
export const restore = (dataFolder: string, steps: FileSteps): void => {
  const backup = path.join(dataFolder, BACKUP)
  const file = path.join(dataFolder, FILE)
  try {
    retryWhileInUse(() => steps.rename(backup, file), steps)
    return
  } catch (error) {
    if (!isFileInUse(error)) throw error
  }
  const restoring = path.join(dataFolder, RESTORING)
  try {
    steps.copy(backup, restoring)
  } catch (error) {
    if (!isFileInUse(error)) throw error
    throw new JournalHeldError(`The journal is damaged, and its backup ${backup} cannot be read`, error.code)
  }
  moveFile(restoring, file, steps)
}
