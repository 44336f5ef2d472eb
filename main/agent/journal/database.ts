import { accessSync, constants, existsSync, statSync } from 'node:fs'
import path from 'node:path'
import { Worker } from 'node:worker_threads'
import Database from 'better-sqlite3'
import type { Paths } from '../../../shared/paths/paths.ts'
import { type FileSteps, fileSteps, isFileInUse, retryWhileInUse } from '../../local-files/file-in-use.ts'
import { makeFolder } from '../../local-files/make-folder.ts'
import { isDenied, isThere, MissingRightsError } from '../../local-files/missing-rights.ts'
import { refuseLink, writeMark } from '../../local-files/plain-file.ts'
import { migrations } from './migrations.ts'
import { backUpSchema, newestBackupFor } from './schema-backup.ts'
import { transaction } from './statements.ts'

/**
 * Hard case: The journal is damaged or missing.
 * Sluice checks the journal before each backup. It quarantines a damaged journal, and restores the last backup
 * or starts a new journal. It searches for sessions before it creates any.
 */

/**
 * Hard case: The journal turns out to be damaged while Sluice runs.
 * The process ends with exit code 3 and leaves a marker file. The next start checks every page and index, and
 * restores the journal as above.
 */

/**
 * "SLUI". Distinguishes a Sluice journal from other SQLite files, and from a zero-byte file that opens as an empty
 * database.
 */
const APPLICATION_ID = 0x534c5549
export const FILE = 'journal.db'
export const BACKUP = 'journal.backup.db'
/**
 * The copy of the backup, made if the backup itself could not be renamed. The next step renames this copy to
 * `journal.db`.
 */
const RESTORING = 'journal.restoring.db'
/** Exists once a journal was created here. From then on, a missing or empty journal is damage, not a first start. */
const MARKER = 'journal.made'
/** Exists from the quarantine of a damaged journal until the new journal has stored that it was rebuilt. */
const REBUILDING = 'journal.rebuilding'
/**
 * Exists after a running agent found damage. The next start then runs the full check: the quick check does not find
 * all damage.
 */
const SUSPECT = 'journal.suspect'

/** A journal up to this size is checked without a thread. */
const CHECK_IN_PROCESS_MAX_BYTES = 1024 * 1024

/** Exists while a process has the journal open. If this file exists without a WAL, commits were lost with the WAL. */
const IN_USE = 'journal.in-use'

class JournalTooNewError extends Error {
  constructor(version: number, dataFolder: string) {
    const back = newestBackupFor(dataFolder, migrations.length) === null ? '' : ', or run `sluice rollback`'
    super(
      `The journal was written by a newer Sluice (format ${version}, this one knows ${migrations.length}). Install that version again${back}.`,
    )
  }
}

/**
 * Another program holds a file that Sluice must move or open before it can start. Nothing is lost: the next start
 * tries again.
 */
class JournalHeldError extends Error {
  constructor(problem: string, code: string | undefined) {
    super(
      `${problem} (${code}): another program holds the file open, or its permissions forbid this. End backup, sync or virus-scan programs that use the data folder, then start Sluice again; nothing is lost.`,
    )
  }
}

/** The journal's disk is full. SQLite has rolled the transaction back, so nothing is half written. */
export class JournalFullError extends Error {
  constructor() {
    super('There is no free space left to write the journal.')
  }
}

const damageCodes = ['SQLITE_CORRUPT', 'SQLITE_NOTADB']
const heldCodes = ['SQLITE_CANTOPEN', 'SQLITE_BUSY', 'SQLITE_PERM']
const fullCodes = ['SQLITE_FULL', 'SQLITE_IOERR_WRITE', 'SQLITE_IOERR_FSYNC', 'SQLITE_IOERR_SHMSIZE']

const hasCode = (error: unknown, codes: readonly string[]): boolean =>
  error instanceof Database.SqliteError && codes.some((code) => error.code.startsWith(code))

export const isDiskFull = (error: unknown): boolean =>
  error instanceof JournalFullError || hasCode(error, fullCodes)

/** Includes disk read errors, because they make the connection unusable. */
export const isDamaged = (error: unknown): boolean =>
  !isDiskFull(error) && hasCode(error, [...damageCodes, 'SQLITE_IOERR'])

export const markSuspect = (dataFolder: string): void => {
  try {
    writeMark(path.join(dataFolder, SUSPECT), 'The journal was found damaged while in use.\n')
  } catch {
    // The disk accepts no more writes. The next start runs at least the quick check.
  }
}

const configure = (db: Database.Database): void => {
  db.pragma('journal_mode = WAL')
  // In WAL mode, NORMAL can lose acknowledged commits on power loss. If an ETag is lost, Sluice sends a part twice.
  db.pragma('synchronous = FULL')
  db.pragma('fullfsync = 1')
  db.pragma('foreign_keys = ON')
  // Keeps undo pages of savepoints in memory, not in a temporary file.
  db.pragma('temp_store = MEMORY')
  overwriteDeleted(db)
}

/**
 * Overwrites deleted content. Without this, a deleted signed URL stays readable in the file until SQLite reuses the
 * page.
 */
const overwriteDeleted = (db: Database.Database): void => {
  db.pragma('secure_delete = ON')
}

/** Returns false if the drive has no space for the copy. The agent must start nevertheless. */
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
    // A journal that lost its WAL before the first checkpoint is a valid, empty database.
    if (version === 0 ? expectedContent === 'journal' : id !== APPLICATION_ID)
      throw new Database.SqliteError('not a Sluice journal', 'SQLITE_NOTADB')
    if (db.pragma(`${check}(1)`, { simple: true }) !== 'ok')
      throw new Database.SqliteError(`${check} failed`, 'SQLITE_CORRUPT')
    configure(db)
    const migrated = migrate(db, path.dirname(file), paths)
    // On some disks, SQLite ignores the setting without an error, so read it back after the first write.
    if (db.pragma('synchronous', { simple: true }) !== 2)
      throw new Error('SQLite refused synchronous = FULL on this disk.')
    return { db, ...migrated }
  } catch (error) {
    db.close()
    throw error
  }
}

/** Moves the main file first. If this start is interrupted, the next start finds no main file and continues. */
const quarantine = (dataFolder: string, atMs: number, steps: FileSteps): string => {
  const folder = path.join(dataFolder, `damaged-${new Date(atMs).toISOString().replace(/[:.]/g, '-')}`)
  makeFolder(folder)
  for (const suffix of ['', '-wal', '-shm']) {
    const file = path.join(dataFolder, FILE + suffix)
    if (existsSync(file)) move(file, path.join(folder, FILE + suffix), steps)
  }
  return folder
}

const move = (from: string, to: string, steps: FileSteps): void => {
  try {
    retryWhileInUse(() => steps.rename(from, to), steps)
  } catch (error) {
    if (!isFileInUse(error)) throw error
    throw new JournalHeldError(`The journal is damaged, and ${from} cannot be moved`, error.code)
  }
}

/** A program that blocks the rename may still allow reading, so fall back to a copy. */
const restore = (dataFolder: string, steps: FileSteps): void => {
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
  move(restoring, file, steps)
}

/** A marker that cannot be removed only makes the next start check more than necessary. */
const removeMarker = (file: string, steps: FileSteps): void => {
  try {
    retryWhileInUse(() => steps.remove(file), steps)
  } catch (error) {
    if (!isFileInUse(error)) throw error
  }
}

const isEmptyOrMissing = (file: string): boolean => !existsSync(file) || statSync(file).size === 0

/**
 * After a clean exit, the main file holds everything and the WAL is gone. After a crash, the WAL holds the last
 * commits. If neither is true, the WAL was removed. The main file is then intact, but as old as its last checkpoint. A
 * later reader leaves an empty WAL, which counts as missing.
 */
const hasLostItsWal = (dataFolder: string): boolean =>
  existsSync(path.join(dataFolder, IN_USE)) && isEmptyOrMissing(path.join(dataFolder, `${FILE}-wal`))

/** If the marker cannot be written, a removed WAL goes unnoticed. The start continues anyway. */
const markInUse = (db: Database.Database, dataFolder: string): void => {
  try {
    // This write puts something into the WAL, so a later missing WAL is noticed.
    db.pragma(`user_version = ${migrations.length}`)
    // A disk without WAL support has no WAL to lose.
    if (isEmptyOrMissing(path.join(dataFolder, `${FILE}-wal`))) return
    writeMark(path.join(dataFolder, IN_USE), 'The journal is open, and its -wal file belongs to it.\n')
  } catch {
    // The disk accepts no more writes.
  }
}

/** The last connection removes the WAL when it closes. Only then may the marker be removed. */
export const clearInUseMarker = (dataFolder: string, steps: FileSteps = fileSteps): void => {
  if (!existsSync(path.join(dataFolder, `${FILE}-wal`))) removeMarker(path.join(dataFolder, IN_USE), steps)
}

export type OpenedDatabase = {
  readonly db: Database.Database
  /**
   * Not null if the journal was recreated or restored from its backup. `quarantine`: the folder with the damaged
   * files.
   */
  readonly damage: { readonly quarantine: string; readonly restored: boolean } | null
  /** True if the journal was migrated without a copy, because the drive had no space for it. */
  readonly lacksSchemaBackup: boolean
}

/** SQLite follows symbolic links. An attacker could plant one for a command that runs as root. */
export const refuseLinks = (dataFolder: string): void => {
  for (const suffix of ['', '-wal', '-shm']) refuseLink(path.join(dataFolder, FILE + suffix))
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
  const file = path.join(dataFolder, FILE)
  const marker = path.join(dataFolder, MARKER)
  const backup = path.join(dataFolder, BACKUP)
  const suspect = path.join(dataFolder, SUSPECT)
  refuseLinks(dataFolder)
  try {
    if ((existsSync(marker) || existsSync(backup)) && isEmptyOrMissing(file))
      throw new Database.SqliteError('the journal is missing', 'SQLITE_NOTADB')
    if (hasLostItsWal(dataFolder)) markRebuilding(dataFolder)
    const opened = openChecked(
      file,
      paths,
      existsSync(marker) ? 'journal' : 'maybe-new',
      existsSync(suspect) ? 'integrity_check' : 'quick_check',
    )
    removeMarker(suspect, steps)
    if (!existsSync(marker)) writeMark(marker, 'A journal was created in this folder.\n')
    markInUse(opened.db, dataFolder)
    const wasInterrupted = existsSync(path.join(dataFolder, REBUILDING))
    return { ...opened, damage: wasInterrupted ? { quarantine: dataFolder, restored: false } : null }
  } catch (error) {
    if (isDiskFull(error)) throw new JournalFullError()
    if (error instanceof Database.SqliteError && hasCode(error, heldCodes))
      throw new JournalHeldError(`The journal ${file} cannot be opened`, error.code)
    if (!hasCode(error, damageCodes)) throw error
    markRebuilding(dataFolder)
    const quarantineFolder = quarantine(dataFolder, nowMs, steps)
    removeMarker(suspect, steps)
    if (existsSync(backup)) {
      restore(dataFolder, steps)
      try {
        return {
          ...openChecked(file, paths),
          damage: { quarantine: quarantineFolder, restored: true },
        }
      } catch (secondError) {
        if (!hasCode(secondError, damageCodes)) throw secondError
        move(file, path.join(quarantineFolder, BACKUP), steps)
      }
    }
    return {
      ...openChecked(file, paths),
      damage: { quarantine: quarantineFolder, restored: false },
    }
  }
}

export const markRebuilding = (dataFolder: string): void =>
  writeMark(path.join(dataFolder, REBUILDING), 'The journal is being rebuilt.\n')

/** Call when the new journal has recorded that its recordings need a search. From then on, a crash loses nothing. */
export const clearRebuildingMarker = (dataFolder: string, steps: FileSteps = fileSteps): void =>
  removeMarker(path.join(dataFolder, REBUILDING), steps)

/** SQLite's own error does not name the cause, so this function checks the permissions first. */
const openReadable = (file: string): Database.Database => {
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
  const db = openReadable(file)
  const version = db.pragma('user_version', { simple: true }) as number
  if (version !== migrations.length) {
    db.close()
    if (version > migrations.length) throw new JournalTooNewError(version, dataFolder)
    throw new Error(
      `The journal in ${dataFolder} was written by an older Sluice. Start the agent there once first.`,
    )
  }
  db.pragma('synchronous = FULL')
  db.pragma('foreign_keys = ON')
  // Keeps undo pages of savepoints in memory, not in a temporary file.
  db.pragma('temp_store = MEMORY')
  overwriteDeleted(db)
  return db
}

/**
 * The result of SQLite's check: "ok", or a description of the damage. Reads the whole file through its own connection.
 */
export const quickCheck = (dataFolder: string): string => {
  try {
    const db = new Database(path.join(dataFolder, FILE), { readonly: true, timeout: 5_000 })
    try {
      return String(db.pragma('quick_check(1)', { simple: true }))
    } finally {
      db.close()
    }
  } catch (error) {
    if (hasCode(error, damageCodes)) return (error as Error).message
    throw error
  }
}

/**
 * Checks in a thread, because checking a large journal takes seconds and would block the event loop. Checking a small
 * journal takes less time than starting a thread.
 */
export const quickCheckInThread = async (dataFolder: string): Promise<string> => {
  if (sizes(dataFolder).bytes <= CHECK_IN_PROCESS_MAX_BYTES) return quickCheck(dataFolder)
  return await new Promise((resolve, reject) => {
    const entry = new URL(`./check-worker${path.extname(import.meta.filename)}`, import.meta.url)
    new Worker(entry, { name: 'journal-check', workerData: dataFolder, execArgv: [] })
      .once('message', resolve)
      .once('error', reject)
      .once('exit', (code) => reject(new Error(`the journal check exited with code ${code}`)))
  })
}

/** `bytes` includes the WAL, which is not yet merged into the main file. */
export const sizes = (dataFolder: string): { readonly bytes: number; readonly backedUpAt: string | null } => {
  const statsOf = (name: string) => statSync(path.join(dataFolder, name), { throwIfNoEntry: false })
  return {
    bytes: (statsOf(FILE)?.size ?? 0) + (statsOf(`${FILE}-wal`)?.size ?? 0),
    backedUpAt: statsOf(BACKUP)?.mtime.toISOString() ?? null,
  }
}
