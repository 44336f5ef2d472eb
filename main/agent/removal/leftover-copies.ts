import { isSameDrive } from '../domain/removal-rules.ts'
import type { ArchiveCopy } from '../journal/journal.ts'
import { type RemovalWorld, restoreHiddenFile } from './restore-hidden-file.ts'

/**
 * Hard case: Killed during a copy to the archive, and the archive is missing at the next start.
 * The journal keeps the name of each copy until the copy is known to be gone. Sluice removes the copy when the drive of
 * the archive is back, even if the rules have changed.
 */

export const archiveIsThere = async (
  { folderAccess }: Pick<RemovalWorld, 'folderAccess'>,
  { archive }: Pick<ArchiveCopy, 'archive'>,
): Promise<boolean> => {
  const now = await folderAccess.volumeOf(archive.folder)
  return now !== null && isSameDrive(archive.volume, now)
}

/** Removes an unneeded copy now if its drive is connected, otherwise in a later step of the remover. */
export const removeCopy = async (world: RemovalWorld, path: string): Promise<'gone' | 'later'> => {
  const copy = world.journal.removals.copies.of(path)
  if (copy !== null && !(await archiveIsThere(world, copy))) return 'later'
  const acted = await world.operations.remove(path)
  return acted.kind === 'done' || acted.kind === 'vanished' ? 'gone' : 'later'
}

/** Runs once per step of the remover. */
export const clearLeftoverCopies = async (world: RemovalWorld): Promise<void> => {
  for (const copy of world.journal.removals.copies.leftover()) {
    const { copies } = world.journal.removals
    if (copy.target === null) {
      if ((await removeCopy(world, copy.path)) === 'gone') copies.forget(copy.path)
      continue
    }
    // A crash interrupted the removal of this copy. Restore its name first; then the rules decide.
    const isThere = await archiveIsThere(world, copy)
    if (isThere && (await world.files.identify(copy.path)).ok)
      await restoreHiddenFile(world, copy.target, copy.path)
  }
}
