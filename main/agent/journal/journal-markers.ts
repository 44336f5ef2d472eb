import { existsSync } from 'node:fs'
import path from 'node:path'
import type Database from 'better-sqlite3'
import { type FileSteps, fileSteps, isFileInUse, retryWhileInUse } from '../../local-files/file-in-use.ts'
import { writeMark } from '../../local-files/plain-file.ts'
import { FILE, isEmptyOrMissing } from './journal-files.ts'
import { migrations } from './migrations.ts'

/** Exists once a journal was created here. From then on, a missing or empty journal is damage, not a first start. */
const MADE = 'journal.made'
/**
 * Exists while Sluice replaces a damaged journal or rolls a journal back. Sluice removes this file after it has marked
 * the recordings in the new journal for a session search.
 */
const REBUILDING = 'journal.rebuilding'
/**
 * Exists after a running agent found damage. The next start then runs the full check, because the quick check may miss
 * the damage.
 */
const SUSPECT = 'journal.suspect'

/**
 * Exists while the agent has the journal open, and after a crash. If a start finds this file but no WAL, the commits in
 * the WAL are lost.
 */
const IN_USE = 'journal.in-use'

/** If another program blocks the removal, the next start checks or searches more than necessary. */
const removeMarker = (file: string, steps: FileSteps = fileSteps): void => {
  try {
    retryWhileInUse(() => steps.remove(file), steps)
  } catch (error) {
    if (!isFileInUse(error)) throw error
  }
}

export const wasMade = (dataFolder: string): boolean => existsSync(path.join(dataFolder, MADE))

export const markMade = (dataFolder: string): void =>
  writeMark(path.join(dataFolder, MADE), 'A journal was created in this folder.\n')

export const isSuspect = (dataFolder: string): boolean => existsSync(path.join(dataFolder, SUSPECT))

export const markSuspect = (dataFolder: string): void => {
  try {
    writeMark(path.join(dataFolder, SUSPECT), 'The journal was found damaged while in use.\n')
  } catch {
    // Without the marker, the next start still runs the quick check.
  }
}

export const clearSuspectMarker = (dataFolder: string, steps: FileSteps): void =>
  removeMarker(path.join(dataFolder, SUSPECT), steps)

/**
 * After a clean exit, the marker and the WAL are gone. After a crash, both remain, and the WAL holds the last commits.
 * A marker without a WAL means that someone removed the WAL. An empty WAL counts as missing, because a program that
 * reads the journal later may create an empty WAL.
 */
export const hasLostItsWal = (dataFolder: string): boolean =>
  existsSync(path.join(dataFolder, IN_USE)) && isEmptyOrMissing(path.join(dataFolder, `${FILE}-wal`))

/** If the marker cannot be written, a removed WAL goes unnoticed. The start continues anyway. */
export const markInUse = (db: Database.Database, dataFolder: string): void => {
  try {
    // This write makes sure that the WAL is not empty, so that the next start notices if the WAL is gone.
    db.pragma(`user_version = ${migrations.length}`)
    // A disk without WAL support has no WAL to lose.
    if (isEmptyOrMissing(path.join(dataFolder, `${FILE}-wal`))) return
    writeMark(path.join(dataFolder, IN_USE), 'The journal is open, and its -wal file belongs to it.\n')
  } catch {
    // The disk accepts no more writes.
  }
}

/** SQLite removes the WAL when the last connection closes. While the WAL exists, the marker must stay. */
export const clearInUseMarker = (dataFolder: string): void => {
  if (!existsSync(path.join(dataFolder, `${FILE}-wal`))) removeMarker(path.join(dataFolder, IN_USE))
}

export const isRebuilding = (dataFolder: string): boolean => existsSync(path.join(dataFolder, REBUILDING))

export const markRebuilding = (dataFolder: string): void =>
  writeMark(path.join(dataFolder, REBUILDING), 'The journal is being rebuilt.\n')

/** Call when the recordings in the new journal are marked for a session search. */
export const clearRebuildingMarker = (dataFolder: string): void =>
  removeMarker(path.join(dataFolder, REBUILDING))
