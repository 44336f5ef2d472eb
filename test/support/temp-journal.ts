import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Journal, openJournal } from '../../main/agent/journal/journal.ts'
import { type Paths, pathsOf } from '../../shared/paths/paths.ts'
import { putEmptyJournal } from './empty-journal.ts'

export type TempJournal = { readonly journal: Journal; readonly folder: string; readonly close: () => void }

/** A real journal in its own folder. `close` also removes the folder. */
export const openTempJournal = (
  wallMs: () => number,
  paths: Paths = pathsOf(process.platform),
): TempJournal => {
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-journal-'))
  putEmptyJournal(folder)
  const { journal } = openJournal(folder, wallMs, paths)
  const close = () => {
    journal.close()
    rmSync(folder, { recursive: true, force: true })
  }
  return { journal, folder, close }
}
