import { closeSync, fsyncSync, openSync, readdirSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import { fileSteps } from '../../local-files/file-in-use.ts'
import { createPlainFile } from '../../local-files/plain-file.ts'

/**
 * Hard case: An update has to be reverted.
 * Before a newer Sluice migrates the journal, it keeps a copy with the old schema. `sluice rollback` of the older version
 * restores the copy, and Sluice searches for sessions before it creates any.
 */

const NAME = /^journal\.schema-(\d+)\.db$/
const KEPT = 2

const nameOf = (version: number): string => `journal.schema-${version}.db`

/** The schema versions of the backups, newest first. */
const versionsIn = (dataFolder: string): readonly number[] =>
  readdirSync(dataFolder)
    .flatMap((name) => NAME.exec(name)?.[1] ?? [])
    .map(Number)
    .toSorted((one, other) => other - one)

/** The newest backup that a program with this schema version can open, or null. */
export const newestBackupFor = (dataFolder: string, knownVersion: number): string | null => {
  const version = versionsIn(dataFolder).find((found) => found <= knownVersion)
  return version === undefined ? null : path.join(dataFolder, nameOf(version))
}

/** The copy may stay for months, longer than a session. The service issues new URLs. */
const removeUrls = (file: string): void => {
  const copy = new Database(file)
  try {
    // No undo file: it would contain the URLs.
    copy.pragma('journal_mode = MEMORY')
    copy.pragma('secure_delete = ON')
    copy.exec('UPDATE parts SET url = NULL WHERE url IS NOT NULL')
    // A page can keep remains of a shortened row, so write every page again.
    copy.pragma('temp_store = MEMORY')
    copy.exec('VACUUM')
  } finally {
    copy.close()
  }
}

/** Copies the journal before its first migration. The name appears only when the copy is complete. Keeps the last two. */
export const backUpSchema = (db: Database.Database, dataFolder: string, version: number): void => {
  const target = path.join(dataFolder, nameOf(version))
  const temporary = `${target}.new`
  fileSteps.remove(temporary)
  // SQLite keeps the owner and the rights of an existing empty file.
  closeSync(createPlainFile(temporary))
  db.prepare('VACUUM INTO ?').run(temporary)
  removeUrls(temporary)
  const handle = openSync(temporary, 'r+')
  fsyncSync(handle)
  closeSync(handle)
  fileSteps.rename(temporary, target)
  for (const old of versionsIn(dataFolder).slice(KEPT)) fileSteps.remove(path.join(dataFolder, nameOf(old)))
}
