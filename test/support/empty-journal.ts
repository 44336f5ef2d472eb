import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { openDatabase } from '../../main/agent/journal/database.ts'
import { FILE } from '../../main/agent/journal/journal-files.ts'
import { pathsOf } from '../../shared/paths/paths.ts'

const migrateEmptyJournal = (): Buffer => {
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-empty-journal-'))
  openDatabase(folder, 0, pathsOf(process.platform)).db.close()
  const bytes = readFileSync(path.join(folder, FILE))
  rmSync(folder, { recursive: true })
  return bytes
}

let emptyJournal: Buffer | null = null

/**
 * Puts an empty journal with the current schema into the folder. The migrations take most of the time of a short test,
 * so each worker runs them once.
 */
export const putEmptyJournal = (folder: string): void => {
  emptyJournal ??= migrateEmptyJournal()
  writeFileSync(path.join(folder, FILE), emptyJournal, { mode: 0o600 })
}
