import { movedPath, type Wait } from '../domain/removal-rules.ts'
import { driveToStore, isSameDrive } from '../domain/same-drive.ts'
import type { VolumeIdentity } from '../ports/folders.ts'
import type { StageWorld } from '../stage/stage.ts'

/**
 * Hard case: The drive that files are moved to is missing or was replaced.
 * Before each move and after each copy, Sluice compares the drive with that of the first move. If it is missing or
 * different, the recording stays in its folder.
 */

const MAX_NAMES = 1_000

type World = Pick<StageWorld, 'journal' | 'operations' | 'folderAccess' | 'files' | 'paths' | 'settings'>

const isLink = async ({ operations, paths }: World, folder: string): Promise<boolean> => {
  const real = await operations.realFolder(folder)
  const parent = await operations.realFolder(paths.resolve(folder, '..'))
  return real === null || parent === null || !paths.same(real, paths.join(parent, paths.nameOf(folder)))
}

/**
 * Compares the target's drive with that of the first move. If the drive is missing, its mount point is a folder on the
 * system drive, and moved recordings would fill the system drive.
 */
const driveProblem = async (world: World, to: string): Promise<Wait | null> => {
  const { journal, folderAccess, paths } = world
  const currentVolume = await folderAccess.volumeOf(to)
  if (currentVolume === null) return 'target-missing'
  const firstVolume = journal.volumes.targetVolume(to)
  if (firstVolume !== null && isSameDrive(firstVolume, currentVolume)) {
    const drive = driveToStore(firstVolume, currentVolume)
    const { device, inode } = currentVolume
    if (firstVolume.device !== device || firstVolume.inode !== inode || firstVolume.drive !== drive)
      journal.volumes.setTargetVolume(to, { device, inode, drive })
    return null
  }
  if (firstVolume !== null) {
    // The journal may know only the empty mount point. If a drive is mounted there now, accept it.
    const parentVolume = await folderAccess.volumeOf(paths.resolve(to, '..'))
    if (
      parentVolume === null ||
      parentVolume.device !== firstVolume.device ||
      parentVolume.device === currentVolume.device
    )
      return 'target-replaced'
    // Do not accept a link to a different drive: any user who can write to the parent folder can create such a link.
    if (await isLink(world, to)) return 'target-replaced'
  }
  journal.volumes.setTargetVolume(to, currentVolume)
  return null
}

/** True for two paths of one folder. False on a drive without inode numbers, where every folder has the inode 0. */
const isSameFolder = (a: VolumeIdentity | null, b: VolumeIdentity | null): boolean =>
  a !== null && a.device === b?.device && a.inode === b.inode && !/^0(?::|$)/.test(a.inode)

/**
 * Why Sluice cannot move a file to this folder now, or null. Refuses a watched folder, its subfolders and its parent
 * folders, even through a link or a second mount. In a watched folder, Sluice would find each moved file as a new
 * recording. A second mount of a subfolder is noticed once a file is in that subfolder.
 */
export const targetProblem = async (world: World, file: string, to: string): Promise<Wait | null> => {
  const { operations, paths, settings, folderAccess } = world
  const realTarget = await operations.realFolder(to)
  if (realTarget === null) return 'target-missing'
  const targetVolume = await folderAccess.volumeOf(to)
  for (const { path } of settings()?.folders ?? []) {
    const watchedFolder = (await operations.realFolder(path)) ?? path
    if (
      paths.same(watchedFolder, realTarget) ||
      paths.contains(watchedFolder, realTarget) ||
      paths.contains(realTarget, watchedFolder) ||
      isSameFolder(targetVolume, await folderAccess.volumeOf(path))
    )
      return 'target-watched'
    for (
      let parent = paths.resolve(file, '..');
      paths.contains(path, parent);
      parent = paths.resolve(parent, '..')
    )
      if (isSameFolder(targetVolume, await folderAccess.volumeOf(parent))) return 'target-watched'
  }
  return driveProblem(world, to)
}

export const unusedTargetPath = async (
  { files, paths }: Pick<World, 'files' | 'paths'>,
  file: string,
  folder: string,
  to: string,
): Promise<string | null> => {
  for (let attempt = 1; attempt <= MAX_NAMES; attempt += 1) {
    const path = movedPath(paths, folder, to, file, attempt)
    if (path === null) return null
    if (!(await files.exists(path))) return path
  }
  return null
}
