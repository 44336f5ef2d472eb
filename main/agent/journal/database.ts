import { accessSync, constants, existsSync, statSync } from 'node:fs'
import path from 'node:path'
import { Worker } from 'node:worker_threads'
import Database from 'better-sqlite3'
import type { Paths } from '../../../shared/paths/paths.ts'
import { type FileSteps, fileSteps, isHeld, patiently } from '../../local-files/held-file.ts'
import { makeFolder } from '../../local-files/make-folder.ts'
import { isDenied, isThere, missingRights } from '../../local-files/missing-rights.ts'
import { refuseLink, writeMark } from '../../local-files/plain-file.ts'
import { migrations } from './migrations.ts'
import { inTransaction } from './statements.ts'

/** "SLUI": tells our journal from any other SQLite file, and from a zero-byte file that opens as an empty one. */
const APPLICATION_ID = 0x534c5549
const FILE = 'journal.db'
export const BACKUP = 'journal.backup.db'
/** A backup that could not be moved, on its way to be the journal. */
const RESTORING = 'journal.restoring.db'
/** Exists once a journal has been made here: a missing or empty journal is then damage, not a first start. */
const MARKER = 'journal.made'
/** Exists from the moment a damaged journal is set aside until the new one knows that it is a rebuilt one. */
const REBUILDING = 'journal.rebuilding'
/** Exists when a running agent met damage: the quick check at the start does not see all of it. */
const SUSPECT = 'journal.suspect'

const CHECKED_AT_ONCE_BYTES = 1024 * 1024

/** Exists while somebody has the journal open: then its WAL is there as well, or commits have been lost with it. */
const IN_USE = 'journal.in-use'

class JournalTooNewError extends Error {
  constructor(found: number) {
    super(
      `The journal was written by a newer Sluice (format ${found}, this one knows ${migrations.length}). Install that version again.`,
    )
  }
}

/** Somebody holds a file that has to be moved or opened before there is a journal. Nothing is lost by waiting. */
class JournalHeldError extends Error {
  constructor(what: string, code: string | undefined) {
    super(
      `${what} (${code}): another program holds it open, or its rights forbid it. End backup, sync or virus-scan programs that use the data folder, then start Sluice again; nothing is lost.`,
    )
  }
}

/** The disk under the journal is full. SQLite has rolled the transaction back; nothing is half written. */
export class JournalFullError extends Error {
  constructor() {
    super('There is no room left to write the journal.')
  }
}

const damageCodes = ['SQLITE_CORRUPT', 'SQLITE_NOTADB']
const heldCodes = ['SQLITE_CANTOPEN', 'SQLITE_BUSY', 'SQLITE_PERM']
const fullCodes = ['SQLITE_FULL', 'SQLITE_IOERR_WRITE', 'SQLITE_IOERR_FSYNC', 'SQLITE_IOERR_SHMSIZE']

const hasCode = (error: unknown, codes: readonly string[]): boolean =>
  error instanceof Database.SqliteError && codes.some((code) => error.code.startsWith(code))

export const isDiskFull = (error: unknown): boolean =>
  error instanceof JournalFullError || hasCode(error, fullCodes)

/** Also a disk that cannot be read: whatever is wrong with it, this connection is of no more use. */
export const isDamaged = (error: unknown): boolean =>
  !isDiskFull(error) && hasCode(error, [...damageCodes, 'SQLITE_IOERR'])

export const markSuspect = (dataFolder: string): void => {
  try {
    writeMark(path.join(dataFolder, SUSPECT), 'The journal was found damaged while in use.\n')
  } catch {
    // The disk takes nothing more; the next start has its quick check.
  }
}

const configure = (db: Database.Database): void => {
  db.pragma('journal_mode = WAL')
  // In WAL mode NORMAL can lose acknowledged commits on power loss, and an ETag lost is a part sent twice.
  db.pragma('synchronous = FULL')
  db.pragma('fullfsync = 1')
  db.pragma('foreign_keys = ON')
  // What undoes one of a batch is otherwise written to a file, page by page, and read by nobody.
  db.pragma('temp_store = MEMORY')
  overwriteForgotten(db)
}

/** A signed URL that was forgotten would otherwise stay readable in the file until its place is used again. */
const overwriteForgotten = (db: Database.Database): void => {
  db.pragma('secure_delete = ON')
}

const migrate = (db: Database.Database, paths: Paths): void => {
  const version = db.pragma('user_version', { simple: true }) as number
  if (version > migrations.length) throw new JournalTooNewError(version)
  if (version === migrations.length) return
  db.function('key_of_path', { deterministic: true }, (value) => paths.key(String(value)))
  inTransaction(db, () => {
    for (const migration of migrations.slice(version)) db.exec(migration)
    db.pragma(`user_version = ${migrations.length}`)
    db.pragma(`application_id = ${APPLICATION_ID}`)
  })
}

const openChecked = (
  file: string,
  paths: Paths,
  expect: 'journal' | 'maybe-new' = 'maybe-new',
  check: 'quick_check' | 'integrity_check' = 'quick_check',
): Database.Database => {
  // Nothing else is served before there is a journal, so this may wait.
  const db = new Database(file, { timeout: 2_000 })
  try {
    const id = db.pragma('application_id', { simple: true }) as number
    const version = db.pragma('user_version', { simple: true }) as number
    // A journal that lost its WAL before the first checkpoint is a valid database with nothing in it.
    if (version === 0 ? expect === 'journal' : id !== APPLICATION_ID)
      throw new Database.SqliteError('not a Sluice journal', 'SQLITE_NOTADB')
    if (db.pragma(`${check}(1)`, { simple: true }) !== 'ok')
      throw new Database.SqliteError(`${check} failed`, 'SQLITE_CORRUPT')
    configure(db)
    migrate(db, paths)
    // Read back after the first write: a setting that did not take must not go unnoticed.
    if (db.pragma('synchronous', { simple: true }) !== 2)
      throw new Error('SQLite refused synchronous = FULL on this disk.')
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** The main file first: without it the rest is damage for sure, so a start that ends half-way is taken up by the next. */
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
    patiently(() => steps.rename(from, to), steps)
  } catch (error) {
    if (!isHeld(error)) throw error
    throw new JournalHeldError(`The journal is damaged, and ${from} cannot be moved`, error.code)
  }
}

/** Who holds the backup may still let it be read: then a copy serves as well. */
const restore = (dataFolder: string, steps: FileSteps): void => {
  const backup = path.join(dataFolder, BACKUP)
  const file = path.join(dataFolder, FILE)
  try {
    patiently(() => steps.rename(backup, file), steps)
    return
  } catch (error) {
    if (!isHeld(error)) throw error
  }
  const restoring = path.join(dataFolder, RESTORING)
  try {
    steps.copy(backup, restoring)
  } catch (error) {
    if (!isHeld(error)) throw error
    throw new JournalHeldError(`The journal is damaged, and its backup ${backup} cannot be read`, error.code)
  }
  move(restoring, file, steps)
}

/** A mark that cannot be removed only makes the next start look closer than it needs to. */
const unmark = (file: string, steps: FileSteps): void => {
  try {
    patiently(() => steps.remove(file), steps)
  } catch (error) {
    if (!isHeld(error)) throw error
  }
}

const isEmptyOrMissing = (file: string): boolean => !existsSync(file) || statSync(file).size === 0

/**
 * After an orderly end everything is in the main file and the WAL is gone; after a crash the WAL holds what came last.
 * Neither means that somebody took it away: what is left is whole, and as old as its last checkpoint. Whoever has only
 * read the journal since then has left an empty WAL.
 */
const hasLostItsWal = (dataFolder: string): boolean =>
  existsSync(path.join(dataFolder, IN_USE)) && isEmptyOrMissing(path.join(dataFolder, `${FILE}-wal`))

/** Without the mark a WAL that is taken away would go unnoticed; that is no reason not to start. */
const markInUse = (db: Database.Database, dataFolder: string): void => {
  try {
    // Something is in the WAL from here on, whenever the process ends.
    db.pragma(`user_version = ${migrations.length}`)
    // A disk that knows no WAL has none to lose.
    if (isEmptyOrMissing(path.join(dataFolder, `${FILE}-wal`))) return
    writeMark(path.join(dataFolder, IN_USE), 'The journal is open, and its -wal file belongs to it.\n')
  } catch {
    // The disk takes nothing more.
  }
}

/** Whoever closes it last leaves no WAL behind. */
export const closedAt = (dataFolder: string, steps: FileSteps = fileSteps): void => {
  if (!existsSync(path.join(dataFolder, `${FILE}-wal`))) unmark(path.join(dataFolder, IN_USE), steps)
}

export type OpenedDatabase = {
  readonly db: Database.Database
  /** Where the damaged files went, if the journal had to be made anew or restored from its backup. */
  readonly damage: { readonly quarantine: string; readonly restored: boolean } | null
  /** Nothing of this station is known: it is new, or its data folder is lost. */
  readonly isNew: boolean
}

/** SQLite follows links, also those that somebody planted for whoever runs a command as root. */
const refuseLinks = (dataFolder: string): void => {
  for (const suffix of ['', '-wal', '-shm']) refuseLink(path.join(dataFolder, FILE + suffix))
}

/** Opens the journal; a damaged one is set aside and replaced by its last backup, or by an empty one. */
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
    const db = openChecked(
      file,
      paths,
      existsSync(marker) ? 'journal' : 'maybe-new',
      existsSync(suspect) ? 'integrity_check' : 'quick_check',
    )
    unmark(suspect, steps)
    const isNew = !existsSync(marker)
    if (isNew) writeMark(marker, 'A journal has been made in this folder.\n')
    markInUse(db, dataFolder)
    const interrupted = existsSync(path.join(dataFolder, REBUILDING))
    return { db, damage: interrupted ? { quarantine: dataFolder, restored: false } : null, isNew }
  } catch (error) {
    if (isDiskFull(error)) throw new JournalFullError()
    if (error instanceof Database.SqliteError && hasCode(error, heldCodes))
      throw new JournalHeldError(`The journal ${file} cannot be opened`, error.code)
    if (!hasCode(error, damageCodes)) throw error
    markRebuilding(dataFolder)
    const set = quarantine(dataFolder, nowMs, steps)
    unmark(suspect, steps)
    if (existsSync(backup)) {
      restore(dataFolder, steps)
      try {
        return { db: openChecked(file, paths), damage: { quarantine: set, restored: true }, isNew: false }
      } catch (second) {
        if (!hasCode(second, damageCodes)) throw second
        move(file, path.join(set, BACKUP), steps)
      }
    }
    return { db: openChecked(file, paths), damage: { quarantine: set, restored: false }, isNew: false }
  }
}

const markRebuilding = (dataFolder: string): void =>
  writeMark(path.join(dataFolder, REBUILDING), 'The journal is being rebuilt.\n')

/** The new journal has noted that it is a rebuilt one: a kill from here on loses nothing. */
export const rebuildNoted = (dataFolder: string, steps: FileSteps = fileSteps): void =>
  unmark(path.join(dataFolder, REBUILDING), steps)

/** SQLite says only that it cannot open the file. */
const openReadable = (file: string): Database.Database => {
  try {
    accessSync(file, constants.R_OK | constants.W_OK)
  } catch (error) {
    if (isDenied(error)) throw new Error(missingRights(file))
  }
  return new Database(file, { timeout: 5_000, fileMustExist: true })
}

/** For the terminal commands that look at, or nudge, the journal of an agent that may be running. */
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
    if (version > migrations.length) throw new JournalTooNewError(version)
    throw new Error(`The journal in ${dataFolder} is of an older Sluice. Start the agent there once first.`)
  }
  db.pragma('synchronous = FULL')
  db.pragma('foreign_keys = ON')
  // What undoes one of a batch is otherwise written to a file, page by page, and read by nobody.
  db.pragma('temp_store = MEMORY')
  overwriteForgotten(db)
  return db
}

/** What SQLite says of the file: "ok", or what is wrong. Reads all of it, through a connection of its own. */
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
 * In a thread: a large journal takes seconds, and the loop has everything else to serve. A small one is read sooner
 * than a thread starts.
 */
export const quickCheckBeside = async (dataFolder: string): Promise<string> => {
  if (sizes(dataFolder).bytes <= CHECKED_AT_ONCE_BYTES) return quickCheck(dataFolder)
  return await new Promise((resolve, reject) => {
    const entry = new URL(`./check-worker${path.extname(import.meta.filename)}`, import.meta.url)
    new Worker(entry, { name: 'journal-check', workerData: dataFolder, execArgv: [] })
      .once('message', resolve)
      .once('error', reject)
      .once('exit', (code) => reject(new Error(`the journal's check ended by itself with code ${code}`)))
  })
}

/** With what is not yet written back into the main file. */
export const sizes = (dataFolder: string): { readonly bytes: number; readonly backedUpAt: string | null } => {
  const facts = (name: string) => statSync(path.join(dataFolder, name), { throwIfNoEntry: false })
  return {
    bytes: (facts(FILE)?.size ?? 0) + (facts(`${FILE}-wal`)?.size ?? 0),
    backedUpAt: facts(BACKUP)?.mtime.toISOString() ?? null,
  }
}
