import { accessSync, closeSync, constants, ftruncateSync, openSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import { makeFolder } from '../../local-files/make-folder.ts'
import { refuseIfMoved } from '../../local-files/moved-station.ts'
import { CHANGE_FLAGS, refuseLink } from '../../local-files/plain-file.ts'

/**
 * Hard case: Two agents on one journal.
 * The second agent does not start. Windows releases the lock of a killed agent with a delay, so an agent that starts on
 * Windows waits up to three seconds for the lock.
 */

class AlreadyRunningError extends Error {
  constructor(dataFolder: string) {
    super(
      `Another Sluice agent already uses the data folder ${dataFolder}. Stop it first, or choose a different folder.`,
    )
  }
}

class UnusableDataFolderError extends Error {
  constructor(dataFolder: string) {
    super(
      `Cannot write to the data folder ${dataFolder}. Choose a different folder, or correct the permissions of this one.`,
    )
  }
}

/**
 * Loads the SQLite library early. A process that runs as root must call this before it switches to a different user,
 * because that user may not be able to read the library.
 */
export const loadSqlite = (): void => {
  new Database(':memory:').close()
}

/** Windows releases the locks of a killed process with a delay, so a restart must wait. */
const WINDOWS_LOCK_RELEASE_MS = 3_000

type Lock = { readonly release: () => void }

/**
 * Ensures that at most one agent uses a data folder. SQLite locks a separate file, so the lock does not block readers
 * of the journal. The system releases the lock when the process ends, even after a crash.
 */
export const takeAgentLock = (
  dataFolder: string,
  {
    timeoutMs = process.platform === 'win32' ? WINDOWS_LOCK_RELEASE_MS : 0,
    evenIfMoved = false,
  }: { readonly timeoutMs?: number; readonly evenIfMoved?: boolean } = {},
): Lock => {
  if (!evenIfMoved) refuseIfMoved(dataFolder)
  try {
    makeFolder(dataFolder)
    accessSync(dataFolder, constants.W_OK)
  } catch {
    throw new UnusableDataFolderError(dataFolder)
  }
  const lock = waitForLock(dataFolder, timeoutMs)
  try {
    // Another process may have moved the data folder during the wait.
    if (!evenIfMoved) refuseIfMoved(dataFolder)
    return lock
  } catch (error) {
    lock.release()
    throw error
  }
}

/**
 * Whether another process holds the lock: an agent, or a move or rollback of the station. Returns false if the lock
 * file is missing, is a link, or cannot be read.
 */
export const isAgentLockHeld = (dataFolder: string): boolean => {
  const file = path.join(dataFolder, 'agent.lock')
  let db: Database.Database | null = null
  try {
    refuseLink(file)
    db = new Database(file, { readonly: true, fileMustExist: true, timeout: 0 })
    db.prepare('SELECT 1 FROM sqlite_master').get()
    return false
  } catch (error) {
    return error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')
  } finally {
    db?.close()
  }
}

const waitForLock = (dataFolder: string, timeoutMs: number): Lock => {
  const file = path.join(dataFolder, 'agent.lock')
  refuseLink(file)
  try {
    return lockFile(file, timeoutMs)
  } catch (error) {
    if (error instanceof Database.SqliteError && /^SQLITE_(NOTADB|CORRUPT)/.test(error.code)) {
      // The lock file is damaged, perhaps by a failing disk. SQLite was able to read it, so no agent holds the lock.
      // The file stores no data, so Sluice may empty it.
      emptyFile(file)
      return lockFile(file, timeoutMs)
    }
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY'))
      throw new AlreadyRunningError(dataFolder)
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_CANTOPEN'))
      throw new UnusableDataFolderError(dataFolder)
    throw error
  }
}

/** Opens the file without following a link, because an attacker may plant a link after the call of `refuseLink`. */
const emptyFile = (file: string): void => {
  const handle = openSync(file, CHANGE_FLAGS)
  try {
    ftruncateSync(handle)
  } finally {
    closeSync(handle)
  }
}

const lockFile = (file: string, timeoutMs: number): Lock => {
  const db = new Database(file, { timeout: timeoutMs })
  try {
    db.pragma('journal_mode = DELETE')
    db.exec('BEGIN EXCLUSIVE')
    return { release: () => db.close() }
  } catch (error) {
    db.close()
    throw error
  }
}
