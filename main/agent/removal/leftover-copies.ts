import { isSameDrive } from '../domain/keeping.ts'
import type { MadeCopy } from '../journal/journal.ts'
import { putBack, type RemovalWorld } from './restore-hidden-file.ts'

/**
 * The drive that files are moved to may be away when the agent starts after a kill. The journal has the name of every copy
 * that was begun, and keeps it until the copy is known to be gone, whatever the rules say by then.
 */

export const archiveIsThere = async (
  { eyes }: Pick<RemovalWorld, 'eyes'>,
  { archive }: Pick<MadeCopy, 'archive'>,
): Promise<boolean> => {
  const now = await eyes.volumeOf(archive.folder)
  return now !== null && isSameDrive(archive.volume, now)
}

/** Removes a copy that nobody needs, now if its drive is there, otherwise at a later step of the keeper. */
export const removeCopy = async (world: RemovalWorld, path: string): Promise<'gone' | 'later'> => {
  const made = world.journal.removals.copies.of(path)
  if (made !== null && !(await archiveIsThere(world, made))) return 'later'
  const acted = await world.acts.remove(path)
  return acted.kind === 'done' || acted.kind === 'vanished' ? 'gone' : 'later'
}

/** Once for each step of the keeper. */
export const clearLeftoverCopies = async (world: RemovalWorld): Promise<void> => {
  for (const made of world.journal.removals.copies.leftover()) {
    const { copies } = world.journal.removals
    if (made.target === null) {
      if ((await removeCopy(world, made.path)) === 'gone') copies.forget(made.path)
      continue
    }
    // Set aside to be removed, and a kill came first. The rules decide once it has its place again.
    const isThere = await archiveIsThere(world, made)
    if (isThere && (await world.files.identify(made.path)).ok) await putBack(world, made.target, made.path)
  }
}
