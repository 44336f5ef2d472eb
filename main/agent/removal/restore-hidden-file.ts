import { numbered } from '../domain/removal-rules.ts'
import type { StageWorld } from '../stage/stage.ts'

const MAX_NAMES = 1_000
/**
 * Sluice tries only this many names: each one costs several drive calls, and another user may have taken many names.
 */
const MAX_PLACED_NAMES = 20

export type RemovalWorld = Pick<
  StageWorld,
  'journal' | 'files' | 'operations' | 'folderAccess' | 'paths' | 'clock' | 'log' | 'rescan'
>

/**
 * Restores the original name of a hidden file, with a number added if a new file has that name. `isTaken` saves drive
 * calls for names that the caller knows to be taken.
 */
export const restoreHiddenFile = async (
  { operations }: Pick<RemovalWorld, 'operations'>,
  path: string,
  removalName: string,
  isTaken: (path: string) => boolean = () => false,
): Promise<{ readonly path: string } | 'vanished' | 'refused'> => {
  let attempts = 0
  for (let number = 1; number <= MAX_NAMES && attempts < MAX_PLACED_NAMES; number += 1) {
    const name = numbered(path, number)
    if (isTaken(name)) continue
    attempts += 1
    const result = await operations.place(removalName, name)
    if (result.kind === 'done') return { path: name }
    if (result.kind === 'taken') continue
    return result.kind === 'vanished' ? 'vanished' : 'refused'
  }
  return 'refused'
}
