import { type FileIdentity, sameExceptCtime, sameInode } from '../domain/file-identity.ts'
import { isOtherDrive } from '../domain/same-drive.ts'
import type { Recording, Removal } from '../journal/journal.ts'
import { removeCopy } from './leftover-copies.ts'
import { type RemovalWorld, restoreHiddenFile } from './restore-hidden-file.ts'

/**
 * Hard case: Killed during a removal, at any step.
 * The names on the drive and the journaled step show whether the file is gone, moved or still here. Sluice then records
 * the removal or restores the file's name. It never overwrites a file that has this name by now.
 */

/**
 * True if the folder that the journal knows is at its path. A different folder or drive does not count, and neither
 * does the empty mount point of a missing drive.
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
 * Whether the subfolder of a hidden file is still there. `missing`: it was renamed or unmounted, is a link that leads
 * out of the watched folder, or a different folder is at its path. `unknown`: the drive did not answer. Device numbers
 * may change at a restart. So the subfolder may have either the number that the watched folder has now, or the number
 * that the journal has for the recording. On FAT, the subfolder may get a new inode number. It then counts as missing,
 * so Sluice records no deletion, which is safe.
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
  // `file-busy` is the temporary error. Any other failure counts as no file: for example, a folder or a link is at the
  // path.
  return found.failure.kind === 'file-busy' ? 'unknown' : 'none'
}

const identityAt = async (world: Pick<RemovalWorld, 'files'>, path: string | null) => {
  const found = await findAt(world, path)
  return typeof found === 'string' ? null : found
}

/**
 * A copy that does not have its final name may be half written. The original is still untouched, so Sluice deletes the
 * copy even if the drive of the original is missing.
 */
const removeUnplacedCopy = async (world: RemovalWorld, { copy, step, placed }: Removal): Promise<void> => {
  const { copies } = world.journal.removals
  if (copy === null || step !== 'intended' || placed || copies.of(copy) === null) return
  if ((await removeCopy(world, copy)) === 'gone') copies.forget(copy)
}

/**
 * Recovers a removal that a crash, a full disk or a refusal interrupted. The files on the drive show whether to record
 * the removal as finished or to undo it. Returns true if the recording no longer has a removal in progress.
 */
export const recoverRemoval = async (world: RemovalWorld, removal: Removal): Promise<boolean> => {
  const { journal } = world
  const recording = journal.recordings.byId(removal.recordingId)
  if (recording === null) return true
  const result = await recover(world, recording, removal)
  if (result === 'stuck' && removal.waits !== 'name-hidden') journal.removals.wait(recording, 'name-hidden')
  return result === 'over'
}

/**
 * `offline`: the watched folder is missing, or a different folder or drive is at its path. `stuck`: a drive did not
 * answer or refused a call.
 */
const recover = async (
  world: RemovalWorld,
  recording: Recording,
  removal: Removal,
): Promise<'over' | 'offline' | 'stuck'> => {
  const { journal, operations, rescan, log } = world
  await removeUnplacedCopy(world, removal)
  const { removalName, target, copy, step, placed } = removal
  const hasCopy = copy !== null && target !== null && step === 'intended'
  // The copy once had its final name, and Sluice may have hidden it again to remove it. By now it may contain edits, or
  // it may be the only copy, because the original was replaced. So restore its final name, even if the drive of the
  // original is missing. Then the rules decide again.
  if (hasCopy && placed && (await restoreHiddenFile(world, target, copy)) === 'refused') return 'stuck'
  // If the folder is missing or replaced, its drive may only be offline, so the file may still exist.
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
    // The hidden name and the target name are the same file: the move succeeded, and only the hidden name must still be
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
  // Even if the journal has recorded the rename, a power cut can revert it on the drive. Then the file has its original
  // name again.
  const isHere = here !== null && sameExceptCtime(here, recording.identity)
  const isMoved = step === 'aside' && !isHere && moved !== null && sameExceptCtime(moved, recording.identity)
  const presence = await world.files.presence(removalName)
  // Another program has put a link or a folder in the place of the hidden file, or a link in the place of its
  // subfolder. If a scan finds the hidden file elsewhere, the scan restores its name.
  if (presence === 'replaced') return isMoved ? finished() : undone()
  // The hidden file exists but cannot be read now, so nothing is known yet.
  if (presence !== 'missing') return 'stuck'
  if (step !== 'aside' || isHere) return undone()
  if (isMoved) return finished()
  // The file may still exist in a subfolder that is not here now. If the subfolder comes back, a scan restores the name
  // of the file.
  const subfolder = await findSubfolder(world, recording, removal)
  if (subfolder === 'unknown') return 'stuck'
  if (subfolder === 'missing') return undone()
  if (removal.action === 'delete' || copy !== null) return finished()
  // A link or a folder at the target is not the moved file. A file that cannot be read now may be the moved file.
  const mayBeMoved = target !== null && ['file', 'unknown'].includes(await world.files.presence(target))
  return mayBeMoved && moved === null ? 'stuck' : undone()
}
