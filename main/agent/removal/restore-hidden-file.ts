import { numbered } from '../domain/removal-rules.ts'
import type { StageWorld } from '../stage/stage.ts'

const MAX_NAMES = 1_000
/** A user of the folder can take all these names. Each try costs several drive calls, so the scan tries only a few. */
const MAX_PLACED_NAMES = 20

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
  let placed = 0
  for (let number = 1; number <= MAX_NAMES && placed < MAX_PLACED_NAMES; number += 1) {
    const name = numbered(path, number)
    if (isTaken(name)) continue
    placed += 1
    const acted = await operations.place(removalName, name)
    if (acted.kind === 'done') return { path: name }
    if (acted.kind === 'taken') continue
    return acted.kind === 'vanished' ? 'vanished' : 'refused'
  }
  return 'refused'
}
