import { constants } from 'node:fs'
import { access, realpath, stat, statfs } from 'node:fs/promises'
import type { FolderVerdict } from '../../../shared/ipc/ipc.ts'
import type { Paths } from '../../../shared/paths/paths.ts'
import { isSystemFolder } from '../../../shared/paths/system-names.ts'
import { type FolderSettings, settingsSchema } from '../../../shared/settings/settings.ts'
import { findTakeLayout } from '../domain/takes.ts'
import { isOnNetwork } from '../platform/folders/network-drive.ts'
import type { FolderAccess } from '../ports/folders.ts'

const SCAN_TIMEOUT_MS = 5_000

const refuse = (reason: string): FolderVerdict => ({ ok: false, reason })

/** Finds the watched folder that this path also leads to: through a link, a mapped drive or a Windows short name. */
const findSameFolder = async (
  folder: string,
  watchedFolders: readonly FolderSettings[],
  folderAccess: FolderAccess,
): Promise<FolderSettings | undefined> => {
  const volume = await folderAccess.volumeOf(folder)
  for (const other of watchedFolders) {
    const otherVolume = await folderAccess.volumeOf(other.path)
    if (volume !== null && otherVolume?.device === volume.device && otherVolume.inode === volume.inode)
      return other
  }
  return undefined
}

/** Whether a folder can be watched, with warnings for the user who chooses it. */
export const checkFolder = async (
  chosenPath: string,
  watchedFolders: readonly FolderSettings[],
  folderAccess: FolderAccess,
  paths: Paths,
): Promise<FolderVerdict> => {
  if (!paths.isAbsolute(chosenPath)) return refuse('Give the full path, starting at the root of the drive.')
  const folder = paths.resolve(chosenPath, '.')
  const pathToOpen = paths.toOpen(folder)
  if (paths.isRoot(folder)) return refuse('This is a whole drive. Choose the folder the recorder writes to.')
  if (folder.split(paths.rules.separator).some(isSystemFolder))
    return refuse(
      'This folder is reserved for the operating system. Choose the folder the recorder writes to.',
    )
  const describeWatched = (known: string) =>
    paths.show(known) === paths.show(folder)
      ? 'This folder is already watched.'
      : `This folder is already watched: ${paths.show(known)} and ${paths.show(folder)} are the same folder.`
  const samePath = watchedFolders.find((other) => paths.same(other.path, folder))
  if (samePath !== undefined) return refuse(describeWatched(samePath.path))
  const info = await stat(pathToOpen).catch(() => null)
  if (info === null) return refuse('This folder does not exist.')
  if (!info.isDirectory()) return refuse('This is a file, not a folder.')
  const sameFolder = await findSameFolder(folder, watchedFolders, folderAccess)
  if (sameFolder !== undefined) return refuse(describeWatched(sameFolder.path))
  try {
    await access(pathToOpen, constants.R_OK | constants.X_OK)
  } catch {
    return refuse(
      'Sluice has no permission to read this folder. Fix its permissions, or choose a different folder.',
    )
  }
  const [parsed] = settingsSchema.shape.folders.parse([{ path: folder, site: 'check' }]) ?? []
  if (parsed === undefined) return refuse('This folder cannot be watched.')
  const result = await folderAccess.scan(parsed, AbortSignal.timeout(SCAN_TIMEOUT_MS))
  if (result.kind !== 'scanned') return refuse(`The folder cannot be read (${result.detail}).`)
  const isWritable = await access(pathToOpen, constants.W_OK).then(
    () => true,
    () => false,
  )
  const { type } = await statfs(pathToOpen).catch(() => ({ type: 0 }))
  // On Windows, this `realpath` is native and returns the share behind a mapped drive.
  const realPath = await realpath(pathToOpen).catch(() => folder)
  const warnings = [
    ...watchedFolders
      .filter((other) => paths.contains(other.path, folder))
      .map(
        ({ path: outer }) =>
          `It is inside ${outer}, which is watched too. Files in this folder will use the settings given here.`,
      ),
    ...watchedFolders
      .filter((other) => paths.contains(folder, other.path))
      .map(({ path: inner }) => `${inner} is inside it and keeps its own settings.`),
    ...(isOnNetwork(realPath, type, paths)
      ? [
          'It is on a network drive: Sluice may notice a new file half a minute later than on a local drive, or minutes later if the folder is large.',
        ]
      : []),
    ...(isWritable ? [] : ['It is read-only, which is enough for uploading.']),
  ]
  return {
    ok: true,
    warning: warnings.length === 0 ? null : warnings.join(' '),
    files: result.files.length,
    bytes: result.files.reduce((sum, file) => sum + file.identity.sizeBytes, 0),
    takeLayout: findTakeLayout(result.files.map((file) => paths.nameInside(folder, file.path) ?? '')),
  }
}
