import { closeSync, fsyncSync, openSync, readdirSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import { fileSteps, isFileInUse, retryWhileInUse } from '../../local-files/file-in-use.ts'
import { createPlainFile } from '../../local-files/plain-file.ts'

/**
 * Hard case: An update has to be reverted.
 * Before a newer version migrates the journal, it saves a copy with the old schema. The older version restores this
 * copy with `sluice rollback`. After that, it searches for existing sessions before it creates new ones.
 */

const NAME_PATTERN = /^journal\.schema-(\d+)\.db$/
const KEPT_BACKUPS = 2

const nameOf = (version: number): string => `journal.schema-${version}.db`

/** The schema versions of the backups, newest first. */
const versionsIn = (dataFolder: string): readonly number[] =>
  readdirSync(dataFolder)
    .flatMap((name) => NAME_PATTERN.exec(name)?.[1] ?? [])
    .map(Number)
    .toSorted((one, other) => other - one)

/** The newest backup that a program with this schema version can open, or null. */
export const newestBackupFor = (dataFolder: string, knownVersion: number): string | null => {
  const version = versionsIn(dataFolder).find((found) => found <= knownVersion)
  return version === undefined ? null : path.join(dataFolder, nameOf(version))
}

/** Rewrites every row, so the copy has no remains of deleted content. */
const copyTo = (db: Database.Database, file: string): void => {
  fileSteps.remove(file)
  // Create the file first, because SQLite keeps the owner and the rights of an existing empty file.
  closeSync(createPlainFile(file))
  db.prepare('VACUUM INTO ?').run(file)
}

/**
 * The backup may stay for months, so it must not contain signed URLs, which are secrets. The journal still needs its
 * URLs, so Sluice deletes them in a first copy. That copy keeps remains of the URLs, so Sluice copies it again.
 * Cleaning a single copy with VACUUM would hold the whole journal in memory.
 */
const copyWithoutUrls = (db: Database.Database, target: string, intermediate: string): void => {
  copyTo(db, intermediate)
  const copy = new Database(intermediate)
  try {
    // No undo file: it would contain the URLs, and an unfinished copy is deleted anyway.
    copy.pragma('journal_mode = OFF')
    copy.exec('UPDATE parts SET url = NULL WHERE url IS NOT NULL')
    copyTo(copy, target)
  } finally {
    copy.close()
  }
}

/**
 * Call before the first migration of an update. Copies the journal. The copy gets its final name only when it is
 * complete, and an error leaves no partial copy. Only the last two copies stay.
 */
export const backUpSchema = (db: Database.Database, dataFolder: string, version: number): void => {
  const target = path.join(dataFolder, nameOf(version))
  const [temporary, intermediate] = [`${target}.new`, `${target}.urls.new`]
  try {
    if (hasUrls(db)) copyWithoutUrls(db, temporary, intermediate)
    else copyTo(db, temporary)
    const handle = openSync(temporary, 'r+')
    try {
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
    retryWhileInUse(() => fileSteps.rename(temporary, target), fileSteps)
  } finally {
    for (const file of [temporary, intermediate]) retryWhileInUse(() => fileSteps.remove(file), fileSteps)
  }
  for (const old of versionsIn(dataFolder).slice(KEPT_BACKUPS))
    removeUnlessInUse(path.join(dataFolder, nameOf(old)))
}

/** Keeps a file that another program has open, because the agent must start now. The next migration tries again. */
const removeUnlessInUse = (file: string): void => {
  try {
    fileSteps.remove(file)
  } catch (error) {
    if (!isFileInUse(error)) throw error
  }
}

const hasUrls = (db: Database.Database): boolean =>
  db.prepare('SELECT 1 FROM parts WHERE url IS NOT NULL LIMIT 1').get() !== undefined
