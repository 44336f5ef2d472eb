import { accessSync, constants, existsSync, statSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import type { Paths } from '../../../shared/paths/paths.ts'
import { type FileSteps, fileSteps } from '../../local-files/file-in-use.ts'
import { isDenied, isThere, MissingRightsError } from '../../local-files/missing-rights.ts'
import { isDamageProven, isDiskFull, isHeld, JournalFullError, JournalHeldError } from './journal-errors.ts'
import { BACKUP, FILE, isEmptyOrMissing, refuseLinks } from './journal-files.ts'
import {
  clearSuspectMarker,
  hasLostItsWal,
  isRebuilding,
  isSuspect,
  markInUse,
  markMade,
  markRebuilding,
  wasMade,
} from './journal-markers.ts'
import { migrations } from './migrations.ts'
import { moveFile, quarantine, restore } from './quarantine.ts'
import { backUpSchema, newestBackupFor } from './schema-backup.ts'
import { transaction } from './statements.ts'

/**
 * Hard case: The journal is damaged or missing.
 * Sluice checks the journal at each start and before each backup. A start quarantines a damaged journal, and restores
 * the last backup or creates a new journal. Then Sluice searches for existing sessions before it creates any.
 */

/**
 * Hard case: The journal turns out to be damaged while Sluice runs.
 * The process ends with exit code 3 and leaves a marker file. The next start checks every page and index, and replaces
 * the damaged journal with the last backup or a new journal.
 */

/** "SLUI". Marks an SQLite file as a journal of Sluice. */
const APPLICATION_ID = 0x534c5549

class JournalTooNewError extends Error {
  constructor(version: number, dataFolder: string) {
    const rollbackHint =
      newestBackupFor(dataFolder, migrations.length) === null ? '' : ', or run `sluice rollback`'
    super(
      `The journal was written by a newer Sluice (format ${version}, this one knows ${migrations.length}). Install that version again${rollbackHint}.`,
    )
  }
}

const configure = (db: Database.Database): void => {
  // In WAL mode, `synchronous = NORMAL` can lose finished commits on power loss, and then Sluice would send a part
  // again.
  db.pragma('synchronous = FULL')
  db.pragma('fullfsync = 1')
  db.pragma('foreign_keys = ON')
  // Keeps undo pages of savepoints in memory, not in a temporary file.
  db.pragma('temp_store = MEMORY')
  // Without this, a deleted signed URL stays readable in the file until SQLite reuses the page.
  db.pragma('secure_delete = ON')
}

/** Copies the journal. Returns false if the drive has no space for the copy: the agent starts without it. */
const tryToBackUpSchema = (db: Database.Database, dataFolder: string, version: number): boolean => {
  try {
    backUpSchema(db, dataFolder, version)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (!isDiskFull(error) && code !== 'ENOSPC' && code !== 'EDQUOT') throw error
    return false
  }
}

const migrate = (
  db: Database.Database,
  dataFolder: string,
  paths: Paths,
): Pick<OpenedDatabase, 'lacksSchemaBackup'> => {
  const version = db.pragma('user_version', { simple: true }) as number
  if (version > migrations.length) throw new JournalTooNewError(version, dataFolder)
  if (version === migrations.length) return { lacksSchemaBackup: false }
  const lacksSchemaBackup = version > 0 && !tryToBackUpSchema(db, dataFolder, version)
  db.function('key_of_path', { deterministic: true }, (value) => paths.key(String(value)))
  transaction(db, () => {
    for (const migration of migrations.slice(version)) db.exec(migration)
    db.pragma(`user_version = ${migrations.length}`)
    db.pragma(`application_id = ${APPLICATION_ID}`)
  })
  return { lacksSchemaBackup }
}

const openChecked = (
  file: string,
  paths: Paths,
  expectedContent: 'journal' | 'maybe-new' = 'maybe-new',
  check: 'quick_check' | 'integrity_check' = 'quick_check',
): Omit<OpenedDatabase, 'damage'> => {
  // Nothing else runs before the journal is open, so this call may block.
  const db = new Database(file, { timeout: 2_000 })
  try {
    const id = db.pragma('application_id', { simple: true }) as number
    const version = db.pragma('user_version', { simple: true }) as number
    // If a journal must exist, version 0 means damage: the journal has lost its WAL before its first checkpoint.
    if (version === 0 ? expectedContent === 'journal' : id !== APPLICATION_ID)
      throw new Database.SqliteError('not a Sluice journal', 'SQLITE_NOTADB')
    if (db.pragma(`${check}(1)`, { simple: true }) !== 'ok')
      throw new Database.SqliteError(`${check} failed`, 'SQLITE_CORRUPT')
    db.pragma('journal_mode = WAL')
    configure(db)
    const migrated = migrate(db, path.dirname(file), paths)
    // On some disks, SQLite ignores `synchronous` without an error, so read it back after the first write.
    if (db.pragma('synchronous', { simple: true }) !== 2)
      throw new Error('SQLite refused synchronous = FULL on this disk.')
    return { db, ...migrated }
  } catch (error) {
    db.close()
    throw error
  }
}

export type OpenedDatabase = {
  readonly db: Database.Database
  /**
   * Not null if the journal was recreated, restored or rolled back, or lost its WAL. Recordings may then be missing.
   * `quarantine`: the folder with the damaged files, or the data folder if this start moved no file.
   */
  readonly damage: { readonly quarantine: string; readonly restored: boolean } | null
  /** True if the journal was migrated without a copy, because the drive had no space for one. */
  readonly lacksSchemaBackup: boolean
}

/**
 * Opens the journal. Moves a damaged journal to a quarantine folder, and replaces it with its last backup or with an
 * empty journal.
 */
export const openDatabase = (
  dataFolder: string,
  nowMs: number,
  paths: Paths,
  steps: FileSteps = fileSteps,
): OpenedDatabase => {
  const opened = openOrReplace(dataFolder, nowMs, paths, steps)
  if (!wasMade(dataFolder)) markMade(dataFolder)
  markInUse(opened.db, dataFolder)
  return opened
}

const openOrReplace = (dataFolder: string, nowMs: number, paths: Paths, steps: FileSteps): OpenedDatabase => {
  const file = path.join(dataFolder, FILE)
  const backup = path.join(dataFolder, BACKUP)
  refuseLinks(dataFolder)
  try {
    if ((wasMade(dataFolder) || existsSync(backup)) && isEmptyOrMissing(file))
      throw new Database.SqliteError('the journal is missing', 'SQLITE_NOTADB')
    if (hasLostItsWal(dataFolder)) markRebuilding(dataFolder)
    const opened = openChecked(
      file,
      paths,
      wasMade(dataFolder) ? 'journal' : 'maybe-new',
      isSuspect(dataFolder) ? 'integrity_check' : 'quick_check',
    )
    clearSuspectMarker(dataFolder, steps)
    const wasInterrupted = isRebuilding(dataFolder)
    return { ...opened, damage: wasInterrupted ? { quarantine: dataFolder, restored: false } : null }
  } catch (error) {
    if (isDiskFull(error)) throw new JournalFullError()
    if (isHeld(error)) throw new JournalHeldError(`The journal ${file} cannot be opened`, error.code)
    if (!isDamageProven(error)) throw error
    markRebuilding(dataFolder)
    const quarantineFolder = quarantine(dataFolder, nowMs, steps)
    clearSuspectMarker(dataFolder, steps)
    if (existsSync(backup)) {
      restore(dataFolder, steps)
      try {
        return {
          ...openChecked(file, paths),
          damage: { quarantine: quarantineFolder, restored: true },
        }
      } catch (secondError) {
        if (!isDamageProven(secondError)) throw secondError
        moveFile(file, path.join(quarantineFolder, BACKUP), steps)
      }
    }
    return {
      ...openChecked(file, paths),
      damage: { quarantine: quarantineFolder, restored: false },
    }
  }
}

/** SQLite's own error does not name missing permissions as the cause, so this function checks them first. */
const openWithPermissionCheck = (file: string): Database.Database => {
  try {
    accessSync(file, constants.R_OK | constants.W_OK)
  } catch (error) {
    if (isDenied(error)) throw new MissingRightsError(file)
  }
  return new Database(file, { timeout: 5_000, fileMustExist: true })
}

/** For terminal commands that read or change the journal, possibly while an agent runs. */
export const openExisting = (dataFolder: string): Database.Database => {
  const file = path.join(dataFolder, FILE)
  if (!isThere(file) || statSync(file).size === 0)
    throw new Error(
      `There is no journal in ${dataFolder}. Name the folder of the station with --data, or start Sluice there first.`,
    )
  refuseLinks(dataFolder)
  const db = openWithPermissionCheck(file)
  const version = db.pragma('user_version', { simple: true }) as number
  if (version !== migrations.length) {
    db.close()
    if (version > migrations.length) throw new JournalTooNewError(version, dataFolder)
    throw new Error(
      `The journal in ${dataFolder} was written by an older Sluice. Start the agent there once first.`,
    )
  }
  configure(db)
  return db
}
