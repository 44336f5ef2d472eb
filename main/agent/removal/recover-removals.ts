import { type FileIdentity, movedFile, sameInode } from '../domain/file-identity.ts'
import type { Removal } from '../journal/journal.ts'
import { removeCopy } from './leftover-copies.ts'
import { putBack, type RemovalWorld } from './restore-hidden-file.ts'

/** The folder itself, and not an empty one at the place where its drive is mounted. */
export const folderIsThere = async (
  { journal, eyes }: Pick<RemovalWorld, 'journal' | 'eyes'>,
  folder: string,
): Promise<boolean> => {
  const known = journal.station.volumeOf(folder)
  const now = await eyes.volumeOf(folder)
  return known !== null && now !== null && known.inode === now.inode && known.device === now.device
}

/** `unknown`: the drive did not answer, or refuses to say. */
const lookAt = async (
  { files }: Pick<RemovalWorld, 'files'>,
  path: string | null,
): Promise<FileIdentity | 'none' | 'unknown'> => {
  const found = path === null ? null : await files.identify(path)
  if (found === null) return 'none'
  if (found.ok) return found.value
  // A folder or a link at its place is not the file either.
  return found.failure.kind === 'file-busy' ? 'unknown' : 'none'
}

const identityAt = async (world: Pick<RemovalWorld, 'files'>, path: string | null) => {
  const found = await lookAt(world, path)
  return typeof found === 'string' ? null : found
}

/**
 * A kill, a full disk or a refusal left a removal in the middle: by what is on the drive, it is either over, which is then
 * noted, or undone. True when nothing is in the middle any more.
 */
export const putRight = async (world: RemovalWorld, removal: Removal): Promise<boolean> => {
  const { journal, acts, rescan, log } = world
  const recording = journal.recordings.byId(removal.recordingId)
  if (recording === null) return true
  // Missing means offline: what is not seen now is not gone.
  if (!(await folderIsThere(world, recording.folder))) return false
  const { aside, target, copy, step, placed } = removal
  const [there, found] = [await identityAt(world, aside), await lookAt(world, recording.path)]
  if (found === 'unknown') return false
  const here = found === 'none' ? null : found
  if (copy !== null && target !== null && step === 'intended') {
    // A copy that had its place already goes only beside its file.
    const isNeeded = placed && here === null && there === null
    if (isNeeded) {
      if ((await putBack(world, target, copy)) === 'refused') return false
    } else if ((await removeCopy(world, copy)) === 'gone' && !placed) journal.removals.copies.forget(copy)
  }
  const moved = await identityAt(world, target)
  const over = () => {
    journal.removals.finish(recording, removal)
    rescan(recording.folder)
    return true
  }
  const undone = () => {
    rescan(recording.folder)
    journal.removals.settle(recording.id)
    return true
  }
  if (there !== null) {
    // Both names of one file: what was under way was done, but for the old name.
    if (moved !== null && sameInode(moved, there)) {
      return (await acts.remove(aside, there)).kind === 'done' ? over() : false
    }
    if (here !== null && sameInode(here, there))
      return (await acts.remove(aside, there)).kind === 'done' ? undone() : false
    if ((await putBack(world, recording.path, aside)) === 'refused') {
      log.warn('a recording that was set aside could not be put back', { aside, path: recording.path })
      return false
    }
    // Our own renaming changed its last time and nothing else.
    const back = await identityAt(world, recording.path)
    if (back !== null && movedFile(back, recording.identity))
      journal.recordings.patch(recording.id, { identity: back })
    return undone()
  }
  // A drive that cannot be read at the moment tells nothing either.
  if (await world.files.exists(aside)) return false
  if (step !== 'aside') return undone()
  // A power cut can take the rename back that the journal already knows of.
  if (here !== null && movedFile(here, recording.identity)) return undone()
  if (removal.action === 'delete' || copy !== null) return over()
  if (moved !== null && movedFile(moved, recording.identity)) return over()
  return target !== null && (await world.files.exists(target)) && moved === null ? false : undone()
}
