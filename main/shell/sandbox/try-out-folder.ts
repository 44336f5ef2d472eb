import { existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs'
import path from 'node:path'
import { syncFolder } from '../../local-files/durable-file.ts'
import { tryOutFolder } from '../../local-files/try-out.ts'

/**
 * Hard case: A user tries Sluice with the sandbox, then uses the real service.
 * The try-out has its own data folder and journal, so recordings that the sandbox processed never count as safe at the
 * real service.
 */

/** The journal and all files that belong to it. */
const JOURNAL_FILES = /^(journal\.|damaged-)/

/**
 * The agent's data folder. Until `separateSandboxJournal` succeeds, the sandbox's journal is still in the station's
 * data folder, so the agent uses that folder even for the sandbox.
 */
export const agentFolder = (dataFolder: string, usesSandbox: boolean): string => {
  const folder = tryOutFolder(dataFolder)
  return usesSandbox && existsSync(folder) ? folder : dataFolder
}

/**
 * Earlier versions kept the sandbox's journal in the station's data folder. If the station uses the sandbox, moves this
 * journal to the try-out folder. Always creates the try-out folder: it marks the migration as done, so that Sluice
 * never moves a journal of real recordings later. An interrupted move continues at the next start.
 */
export const separateSandboxJournal = (dataFolder: string, usesSandbox: boolean): void => {
  const folder = tryOutFolder(dataFolder)
  if (existsSync(folder)) return
  const unfinishedFolder = `${folder}.new`
  mkdirSync(unfinishedFolder, { recursive: true })
  if (usesSandbox || readdirSync(unfinishedFolder).length > 0) {
    for (const name of readdirSync(dataFolder).filter((entry) => JOURNAL_FILES.test(entry)))
      renameSync(path.join(dataFolder, name), path.join(unfinishedFolder, name))
    syncFolder(unfinishedFolder)
  }
  renameSync(unfinishedFolder, folder)
  syncFolder(dataFolder)
}
