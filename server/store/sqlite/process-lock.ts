import { existsSync } from 'node:fs'
import Database from 'better-sqlite3'
import { isBusyError } from './open.ts'

/** How long `takeLock` waits, because `isLocked` in a different process holds the lock for an instant. */
const waitMs = 500

/**
 * Takes the lock of a data folder. Returns null if a different process holds it. A lock ends with its process, even if
 * the process is killed. Node has no file locks, so SQLite locks an empty database.
 */
export function takeLock(file: string): (() => void) | null {
  const db = new Database(file, { timeout: waitMs })
  try {
    // Otherwise SQLite creates a journal file beside the lock.
    db.pragma('journal_mode = MEMORY')
    db.exec('BEGIN EXCLUSIVE')
    return () => void db.close()
  } catch (error) {
    db.close()
    if (isBusyError(error)) return null
    throw error
  }
}

/** Does not create the file. */
export function isLocked(file: string): boolean {
  if (!existsSync(file)) return false
  const release = takeLock(file)
  release?.()
  return release === null
}
