import { isSameDrive } from '../domain/same-drive.ts'
import type { ArchiveCopy } from '../journal/journal.ts'
import { type RemovalWorld, restoreHiddenFile } from './restore-hidden-file.ts'

/**
 * Hard case: Sluice is killed during a copy to the archive, and the archive is missing at the next start.
 * The journal keeps the name of each unfinished copy until Sluice knows that the copy is gone. Sluice removes the copy
 * when the drive of the archive is back, even if the rules have changed.
 */

export const archiveIsThere = async (
  { folderAccess }: Pick<RemovalWorld, 'folderAccess'>,
  { archive }: Pick<ArchiveCopy, 'archive'>,
): Promise<boolean> => {
  const volume = await folderAccess.volumeOf(archive.folder)
  return volume !== null && isSameDrive(archive.volume, volume)
}

/** Removes an unneeded copy. `later`: the copy may still exist, for example because its drive is missing. */
export const removeCopy = async (world: RemovalWorld, path: string): Promise<'gone' | 'later'> => {
  const copy = world.journal.removals.copies.of(path)
  if (copy !== null && !(await archiveIsThere(world, copy))) return 'later'
  const result = await world.operations.remove(path)
  return result.kind === 'done' || result.kind === 'vanished' ? 'gone' : 'later'
}

/** Runs once per step of the remover. */
export const clearLeftoverCopies = async (world: RemovalWorld): Promise<void> => {
  for (const copy of world.journal.removals.copies.leftover()) {
    const { copies } = world.journal.removals
    if (copy.target === null) {
      if ((await removeCopy(world, copy.path)) === 'gone') copies.forget(copy.path)
      continue
    }
    // Sluice was interrupted while it removed this copy, which has a hidden name now. Restore the copy's name first.
    const isThere = await archiveIsThere(world, copy)
    if (isThere && (await world.files.identify(copy.path)).ok)
      await restoreHiddenFile(world, copy.target, copy.path)
  }
}
