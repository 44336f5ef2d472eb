import { existsSync, statSync } from 'node:fs'
import path from 'node:path'
import { refuseLink } from '../../local-files/plain-file.ts'

export const FILE = 'journal.db'
export const BACKUP = 'journal.backup.db'
/**
 * Sluice moves the files in this order. After an interrupted move, the main file is missing, so the next start moves
 * the others.
 */
export const JOURNAL_FILES = [FILE, `${FILE}-wal`, `${FILE}-shm`] as const

export const isEmptyOrMissing = (file: string): boolean => !existsSync(file) || statSync(file).size === 0

/** SQLite follows symbolic links, so a planted link could make a command that runs as root change a different file. */
export const refuseLinks = (dataFolder: string): void => {
  for (const name of JOURNAL_FILES) refuseLink(path.join(dataFolder, name))
}

/** `bytes` includes the WAL. */
export const sizes = (dataFolder: string): { readonly bytes: number; readonly backedUpAt: string | null } => {
  const statsOf = (name: string) => statSync(path.join(dataFolder, name), { throwIfNoEntry: false })
  return {
    bytes: (statsOf(FILE)?.size ?? 0) + (statsOf(`${FILE}-wal`)?.size ?? 0),
    backedUpAt: statsOf(BACKUP)?.mtime.toISOString() ?? null,
  }
}
