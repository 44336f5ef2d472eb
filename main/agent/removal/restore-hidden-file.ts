import { numbered } from '../domain/removal-rules.ts'
import type { StageWorld } from '../stage/stage.ts'

const MAX_NAMES = 1_000

export type RemovalWorld = Pick<
  StageWorld,
  'journal' | 'files' | 'operations' | 'folderAccess' | 'paths' | 'clock' | 'log' | 'rescan'
>

/**
 * Restores the original name of a hidden file, with a number added if a new file has that name. The next scan then
 * recognises the file by content. `isTaken`: true for names that are known to be taken, which saves drive calls.
 */
export const restoreHiddenFile = async (
  { operations }: Pick<RemovalWorld, 'operations'>,
  path: string,
  removalName: string,
  isTaken: (path: string) => boolean = () => false,
): Promise<{ readonly path: string } | 'vanished' | 'refused'> => {
  for (let attempt = 1; attempt <= MAX_NAMES; attempt += 1) {
    const name = numbered(path, attempt)
    if (isTaken(name)) continue
    const acted = await operations.place(removalName, name)
    if (acted.kind === 'done') return { path: name }
    if (acted.kind === 'taken') continue
    return acted.kind === 'vanished' ? 'vanished' : 'refused'
  }
  return 'refused'
}
