import { closeSync, rmSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import { type Paths, pathsOf } from '../../../shared/paths/paths.ts'
import { makeFolder } from '../../local-files/make-folder.ts'
import { createPlainFile } from '../../local-files/plain-file.ts'
import { type Journal, openJournal } from './journal.ts'
import { isDamageProven, isDiskFull } from './journal-errors.ts'
import { FILE, isEmptyOrMissing, refuseLinks } from './journal-files.ts'
import { hasLostItsWal, isRebuilding, isSuspect } from './journal-markers.ts'
import { migrations } from './migrations.ts'

/**
 * Hard case: A new version cannot use the journal of the station.
 * Before a new version touches the journal, it migrates and reads a copy. If that fails, the journal stays as it is,
 * and the old version keeps running or can be installed again.
 */

const FOLDER = 'journal-trial'
const countedTables = ['recordings', 'parts'] as const

export type Proof =
  | { readonly kind: 'passed' }
  /** Sluice did not try the new version on a copy, or could not finish the trial. `reason` is for the log. */
  | { readonly kind: 'skipped'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string }

const skipped = (reason: string): Proof => ({ kind: 'skipped', reason })

const readOnly = <T>(dataFolder: string, read: (db: Database.Database) => T): T => {
  refuseLinks(dataFolder)
  const db = new Database(path.join(dataFolder, FILE), { readonly: true, timeout: 5_000 })
  try {
    return read(db)
  } finally {
    db.close()
  }
}

const countRows = (db: Database.Database): readonly number[] =>
  countedTables.map((table) => db.prepare(`SELECT COUNT(*) FROM ${table}`).pluck().get() as number)

/**
 * The version that used the journal last. Null if the journal stores no readable version, because no agent or only very
 * old ones have used it.
 */
export const lastVersionIn = (dataFolder: string): string | null =>
  readOnly(dataFolder, (db) => {
    try {
      const row = db.prepare("SELECT value FROM station WHERE key = 'told_version'").pluck().get()
      return row === undefined ? null : String(JSON.parse(row as string))
    } catch {
      return null
    }
  })

/** Whether the last program that used the journal had a different version, or knew an older schema. */
export const isFirstStartOfVersion = (dataFolder: string, version: string | null): boolean => {
  if (isEmptyOrMissing(path.join(dataFolder, FILE))) return false
  try {
    const schema = readOnly(dataFolder, (db) => db.pragma('user_version', { simple: true }) as number)
    if (schema > 0 && schema < migrations.length) return true
    const lastVersion = lastVersionIn(dataFolder)
    return version !== null && lastVersion !== null && version !== lastVersion
  } catch {
    // The ordinary start reports or repairs a journal that cannot be read.
    return false
  }
}

/**
 * Copies the journal row by row, so that a damaged page causes an error here. Returns the row counts of the journal.
 */
const copyJournal = (dataFolder: string, target: string): readonly number[] =>
  readOnly(dataFolder, (db) => {
    closeSync(createPlainFile(target))
    db.prepare('VACUUM INTO ?').run(target)
    return countRows(db)
  })

const proveCopy = (
  folder: string,
  rowsBefore: readonly number[],
  { wallMs, paths, firstSteps }: Required<Pick<ProofOptions, 'wallMs' | 'paths' | 'firstSteps'>>,
): void => {
  const { journal, damage } = openJournal(folder, wallMs, paths)
  try {
    if (damage !== null) throw new Error('the copy of the journal was damaged while it was migrated')
    firstSteps(journal)
  } finally {
    journal.close()
  }
  readOnly(folder, (db) => {
    const verdict = db.pragma('integrity_check(1)', { simple: true })
    if (verdict !== 'ok') throw new Error(`the migrated journal fails its check: ${verdict}`)
    const rowsAfter = countRows(db)
    if (JSON.stringify(rowsAfter) !== JSON.stringify(rowsBefore))
      throw new Error(
        `the migrated journal has ${rowsAfter.join(' and ')} instead of ${rowsBefore.join(' and ')} ${countedTables.join(' and ')}`,
      )
  })
}

export type ProofOptions = {
  readonly dataFolder: string
  readonly wallMs: () => number
  readonly paths?: Paths
  /** The first writes and reads of a start. They act on the copy only. */
  readonly firstSteps: (journal: Journal) => void
}

/** Lets this program migrate, check and use a copy of the journal. The journal itself is only read. */
export const proveJournal = (options: ProofOptions): Proof => {
  const { dataFolder, paths = pathsOf(process.platform) } = options
  if (isEmptyOrMissing(path.join(dataFolder, FILE))) return skipped('there is no journal yet')
  if (isSuspect(dataFolder) || isRebuilding(dataFolder) || hasLostItsWal(dataFolder))
    return skipped('the journal needs a repair first')
  const folder = path.join(dataFolder, FOLDER)
  // If an earlier proof was killed, its folder is still there.
  const clean = () => rmSync(folder, { recursive: true, force: true })
  try {
    clean()
    makeFolder(folder)
    const rowsBefore = copyJournal(dataFolder, path.join(folder, FILE))
    try {
      proveCopy(folder, rowsBefore, { ...options, paths })
      return { kind: 'passed' }
    } catch (error) {
      if (isOutOfSpace(error)) throw error
      return { kind: 'failed', reason: error instanceof Error ? error.message : String(error) }
    }
  } catch (error) {
    if (isOutOfSpace(error)) return skipped('the drive has no space for a copy of the journal')
    // The ordinary start restores the backup.
    if (isDamageProven(error)) return skipped('the journal is damaged')
    throw error
  } finally {
    clean()
  }
}

const isOutOfSpace = (error: unknown): boolean =>
  isDiskFull(error) || ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '')
