import { existsSync, lstatSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import { copyDurably } from '../../local-files/copy-durably.ts'
import { syncFolder } from '../../local-files/durable-file.ts'
import { fileSteps, retryWhileInUse } from '../../local-files/file-in-use.ts'
import { makeFolder } from '../../local-files/make-folder.ts'
import { createPlainFile, openPlainFile, refuseLink } from '../../local-files/plain-file.ts'
import { BACKUP, FILE, JOURNAL_FILES, refuseLinks } from './journal-files.ts'
import { markRebuilding } from './journal-markers.ts'
import { migrations } from './migrations.ts'
import { newestBackupFor } from './schema-backup.ts'

export type RollBackPlan = {
  /** The backup that the older version can open. */
  readonly backup: string
  /** When the newer version migrated the journal. */
  readonly backedUpAt: string
  /** The number of recordings that are new or have changed since `backedUpAt`. */
  readonly changed: number
  /** The paths of those recordings whose file no longer exists. */
  readonly missing: readonly string[]
}

class NothingToRollBackError extends Error {}

/** Finds out what a rollback would do, and changes nothing. Call it only while no agent runs. */
export const planRollBack = (dataFolder: string): RollBackPlan => {
  const file = path.join(dataFolder, FILE)
  if (!existsSync(file)) throw new NothingToRollBackError(`There is no journal in ${dataFolder}.`)
  refuseLinks(dataFolder)
  const db = new Database(file, { readonly: true, timeout: 2_000 })
  try {
    if ((db.pragma('user_version', { simple: true }) as number) <= migrations.length)
      throw new NothingToRollBackError(
        'This version can use the journal as it is, so there is nothing to restore. If this is still the newer version, install the older one first.',
      )
    const backup = newestBackupFor(dataFolder, migrations.length)
    if (backup === null)
      throw new NothingToRollBackError(
        `There is no backup for this version in ${dataFolder}. Install the newer version again.`,
      )
    refuseLink(backup)
    const { mtimeMs } = lstatSync(backup)
    // The first schema already had both columns, so this version can query them in a newer schema.
    const paths = db
      .prepare('SELECT path FROM recordings WHERE changed_at > ? ORDER BY path')
      .pluck()
      .all(mtimeMs) as string[]
    return {
      backup,
      backedUpAt: new Date(mtimeMs).toISOString(),
      changed: paths.length,
      missing: paths.filter((name) => !existsSync(name)),
    }
  } finally {
    db.close()
  }
}

/** Deletes the signed URLs from the newer journal, because that journal may stay on the disk for months. */
const removeUrls = (file: string): void => {
  if (!existsSync(file)) return
  try {
    const db = new Database(file, { timeout: 2_000 })
    try {
      db.pragma('secure_delete = ON')
      db.exec('UPDATE parts SET url = NULL WHERE url IS NOT NULL')
    } finally {
      db.close()
    }
  } catch (error) {
    // A damaged journal, a full drive or an unknown schema must not stop the rollback. The URLs expire by themselves.
    if (!(error instanceof Database.SqliteError)) throw error
  }
}

/**
 * Moves the newer journal to a folder of its own, and returns that folder. Puts the backup where the next start of the
 * agent restores it. An interrupted rollback continues when it runs again, or when the agent starts.
 */
export const rollBack = (dataFolder: string, { backup }: RollBackPlan, nowMs: number): string => {
  const folder = path.join(dataFolder, `newer-${new Date(nowMs).toISOString().replace(/[:.]/g, '-')}`)
  makeFolder(folder)
  const newBackup = path.join(dataFolder, `${BACKUP}.new`)
  copyDurably(
    () => openPlainFile(backup),
    () => createPlainFile(newBackup),
  )
  // This replaces the hourly backup, which has the newer schema too.
  retryWhileInUse(() => fileSteps.rename(newBackup, path.join(dataFolder, BACKUP)), fileSteps)
  markRebuilding(dataFolder)
  removeUrls(path.join(dataFolder, FILE))
  // From here on, the backup is the only journal that this version can open, so it must be on the disk first.
  syncFolder(dataFolder)
  for (const name of JOURNAL_FILES) {
    const from = path.join(dataFolder, name)
    if (existsSync(from)) retryWhileInUse(() => fileSteps.rename(from, path.join(folder, name)), fileSteps)
  }
  return folder
}
