import { existsSync } from 'node:fs'
import Database from 'better-sqlite3'
import { isBusyError } from './open.ts'

/**
 * How long `takeLock` waits. A call of `isLocked` in a different process holds the lock for an instant, and must not
 * make `takeLock` fail.
 */
const waitMs = 500

/**
 * Takes the lock of a data folder, which one process at a time can hold. The lock ends with its process, so a killed
 * process never leaves a folder locked. Node has no file locks, so SQLite locks an empty database. Returns null if a
 * different process holds the lock.
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
