import { type FileIdentity, sameExceptCtime, sameInode } from '../domain/file-identity.ts'
import { isOtherDrive } from '../domain/same-drive.ts'
import type { Recording, Removal } from '../journal/journal.ts'
import { removeCopy } from './leftover-copies.ts'
import { type RemovalWorld, restoreHiddenFile } from './restore-hidden-file.ts'

/**
 * Hard case: Sluice is killed at any step of a removal.
 * The names on the drive and the step in the journal show whether the file is gone, moved or still here. Sluice then
 * records the removal or restores the file's name, but never overwrites another file.
 */

/**
 * True if the folder at this path is still the one that the journal knows, not a different folder or an empty mount
 * point.
 */
export const folderIsThere = async (
  { journal, folderAccess }: Pick<RemovalWorld, 'journal' | 'folderAccess'>,
  folder: string,
): Promise<boolean> => {
  const knownVolume = journal.volumes.volumeOf(folder)
  const volume = await folderAccess.volumeOf(folder)
  return (
    knownVolume !== null &&
    volume !== null &&
    knownVolume.inode === volume.inode &&
    knownVolume.device === volume.device &&
    !isOtherDrive(knownVolume, volume)
  )
}

/**
 * Whether the subfolder of a hidden file is still there. `missing`: it is gone, or a different folder or a link is at
 * its path. `unknown`: the drive did not answer. A restart may change device numbers, so the subfolder's number must
 * match either the journal or the watched folder's current number. On FAT, a subfolder with a new inode number counts
 * as missing. This is safe, because Sluice then records no deletion.
 */
const findSubfolder = async (
  {
    files,
    operations,
    folderAccess,
    paths,
  }: Pick<RemovalWorld, 'files' | 'operations' | 'folderAccess' | 'paths'>,
  { folder, identity }: Recording,
  { removalName, asideFolder }: Pick<Removal, 'removalName' | 'asideFolder'>,
): Promise<'there' | 'missing' | 'unknown'> => {
  const subfolder = paths.resolve(removalName, '..')
  if (paths.same(subfolder, folder)) return 'there'
  const realFolder = await operations.realFolder(folder)
  const realSubfolder = await operations.realFolder(subfolder)
  const volume = await folderAccess.volumeOf(subfolder)
  const folderVolume = await folderAccess.volumeOf(folder)
  if (realFolder === null || folderVolume === null) return 'unknown'
  if (realSubfolder === null || volume === null)
    return (await files.exists(subfolder)) ? 'unknown' : 'missing'
  if (!paths.contains(realFolder, realSubfolder)) return 'missing'
  if (asideFolder !== null && volume.inode !== asideFolder) return 'missing'
  return volume.device === folderVolume.device || volume.device === identity.device ? 'there' : 'missing'
}

/** `unknown`: a temporary error, for example because the drive did not answer. */
const findAt = async (
  { files }: Pick<RemovalWorld, 'files'>,
  path: string | null,
): Promise<FileIdentity | 'none' | 'unknown'> => {
  const found = path === null ? null : await files.identify(path)
  if (found === null) return 'none'
  if (found.ok) return found.value
  // Only `file-busy` is temporary. Any other failure counts as no file, for example if a folder or a link is there.
  return found.failure.kind === 'file-busy' ? 'unknown' : 'none'
}

const identityAt = async (world: Pick<RemovalWorld, 'files'>, path: string | null) => {
  const found = await findAt(world, path)
  return typeof found === 'string' ? null : found
}

/**
 * A copy without its final name may be incomplete, and the original still exists. So Sluice deletes the copy even if
 * the drive of the original is missing.
 */
const removeUnplacedCopy = async (world: RemovalWorld, { copy, step, placed }: Removal): Promise<void> => {
  const { copies } = world.journal.removals
  if (copy === null || step !== 'intended' || placed || copies.of(copy) === null) return
  if ((await removeCopy(world, copy)) === 'gone') copies.forget(copy)
}

/** Finishes or undoes an interrupted removal. Returns true if the recording no longer has a removal in progress. */
export const recoverRemoval = async (world: RemovalWorld, removal: Removal): Promise<boolean> => {
  const { journal } = world
  const recording = journal.recordings.byId(removal.recordingId)
  if (recording === null) return true
  const result = await recover(world, recording, removal)
  if (result === 'stuck' && removal.waits !== 'name-hidden') journal.removals.wait(recording, 'name-hidden')
  return result === 'over'
}

/** `offline`: the watched folder is missing or replaced. `stuck`: a drive did not answer or refused a call. */
const recover = async (
  world: RemovalWorld,
  recording: Recording,
  removal: Removal,
): Promise<'over' | 'offline' | 'stuck'> => {
  const { journal, operations, rescan, log } = world
  await removeUnplacedCopy(world, removal)
  const { removalName, target, copy, step, placed } = removal
  const hasCopy = copy !== null && target !== null && step === 'intended'
  // The copy already had its final name, but Sluice may have hidden the copy again in order to remove it. The copy may
  // contain edits, or the original may be gone. So restore the copy's name, even if the drive of the original is
  // missing.
  if (hasCopy && placed && (await restoreHiddenFile(world, target, copy)) === 'refused') return 'stuck'
  // If the folder is missing, its drive may only be disconnected, so the file may still exist.
  if (!(await folderIsThere(world, recording.folder))) return 'offline'
  const [hidden, found] = [await identityAt(world, removalName), await findAt(world, recording.path)]
  if (found === 'unknown') return 'stuck'
  const here = found === 'none' ? null : found
  if (hasCopy && !placed) await removeCopy(world, copy)
  const moved = await identityAt(world, target)
  const finished = () => {
    journal.removals.finish(recording, removal)
    rescan(recording.folder)
    return 'over' as const
  }
  const undone = () => {
    rescan(recording.folder)
    journal.removals.settle(recording.id)
    return 'over' as const
  }
  if (hidden !== null) {
    // The target and the hidden name belong to the same file, so the move succeeded. Only the hidden name must still be
    // removed.
    if (moved !== null && sameInode(moved, hidden)) {
      return (await operations.remove(removalName, hidden)).kind === 'done' ? finished() : 'stuck'
    }
    if (here !== null && sameInode(here, hidden))
      return (await operations.remove(removalName, hidden)).kind === 'done' ? undone() : 'stuck'
    if ((await restoreHiddenFile(world, recording.path, removalName)) === 'refused') {
      log.warn('the name of a hidden recording could not be restored', { removalName, path: recording.path })
      return 'stuck'
    }
    // Sluice's own rename changed only the ctime, so record the new identity.
    const restored = await identityAt(world, recording.path)
    if (restored !== null && sameExceptCtime(restored, recording.identity))
      journal.recordings.patch(recording.id, { identity: restored })
    return undone()
  }
  // After a power cut, the file may have its original name again, although the journal has recorded the rename.
  const isHere = here !== null && sameExceptCtime(here, recording.identity)
  const isMoved = step === 'aside' && !isHere && moved !== null && sameExceptCtime(moved, recording.identity)
  const presence = await world.files.presence(removalName)
  // Another program has replaced the hidden file or its subfolder. If a scan finds the file elsewhere, it restores the
  // file's name.
  if (presence === 'replaced') return isMoved ? finished() : undone()
  // The hidden file may still exist, but Sluice cannot read it now.
  if (presence !== 'missing') return 'stuck'
  if (step !== 'aside' || isHere) return undone()
  if (isMoved) return finished()
  // The file may be in a subfolder that is missing now. When the subfolder comes back, a scan restores the name of the
  // file.
  const subfolder = await findSubfolder(world, recording, removal)
  if (subfolder === 'unknown') return 'stuck'
  if (subfolder === 'missing') return undone()
  if (removal.action === 'delete' || copy !== null) return finished()
  // A file at the target may be the moved file, even if Sluice cannot read it now. A link or a folder cannot be.
  const mayBeMoved = target !== null && ['file', 'unknown'].includes(await world.files.presence(target))
  return mayBeMoved && moved === null ? 'stuck' : undone()
}
