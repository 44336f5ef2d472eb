import { isUtf8 } from 'node:buffer'
import { lstat, stat } from 'node:fs/promises'
import { type Paths, pathsOf } from '../../../../shared/paths/paths.ts'
import { isRemovalName } from '../../../../shared/paths/system-names.ts'
import type { FolderSettings } from '../../../../shared/settings/settings.ts'
import { sidecarsAmong } from '../../domain/naming.ts'
import type { FoundFile, ScanResult, VolumeIdentity } from '../../ports/folders.ts'
import { DriveTimeoutError } from '../files/drive-calls.ts'
import { describeCode, systemCode } from '../files/file-failure.ts'
import { identityOf } from '../files/stat-identity.ts'
import { readDriveIdentity } from './drive-identity.ts'
import { batchesOf, type FolderEntry, openFolder } from './folder-entries.ts'
import { createFolderFilter, type FolderFilter } from './folder-filter.ts'
import { escapeName } from './name-escape.ts'
import { type StatFiles, statFilesOn } from './stat-files.ts'
import type { HiddenEntries, ListHidden } from './windows-attributes.ts'

const REPLACEMENT = '\uFFFD'

type ScanOptions = {
  readonly paths?: Paths
  /** Set only on systems that hide files by an attribute. */
  readonly listHidden?: ListHidden | null
  readonly statFiles?: StatFiles
  /**
   * Called at each step, so that a long scan does not time out while the drive answers. Throws if the timeout has
   * already passed.
   */
  readonly restartTimeout?: () => void
  /** Called for every folder before it is read. */
  readonly enter?: ((path: string) => void | Promise<void>) | undefined
}

type Walk = {
  readonly paths: Paths
  readonly root: string
  readonly filter: FolderFilter
  readonly signal: AbortSignal
  readonly listHidden: ListHidden | null
  readonly sidecarSuffix: string | undefined
  readonly statFiles: StatFiles
  readonly restartTimeout: () => void
  readonly enter: (path: string) => void | Promise<void>
  readonly files: FoundFile[]
  readonly unreadableNames: string[]
  readonly unreadablePaths: { path: string; code: string; detail: string }[]
  readonly removalNames: string[]
}

/**
 * Lists all files of the folder, because the system may not report every change of a file. Reads names as bytes, to
 * detect names that are not valid UTF-8. Rejects when aborted.
 */
export const scanFolder = async (
  folder: FolderSettings,
  signal: AbortSignal,
  {
    paths = pathsOf(process.platform),
    listHidden = null,
    statFiles = statFilesOn.shared,
    restartTimeout = () => {},
    enter = () => {},
  }: ScanOptions = {},
): Promise<ScanResult> => {
  signal.throwIfAborted()
  const before = await checkRoot(folder.path, paths)
  if (before.kind !== 'present') return before
  const walk: Walk = {
    paths,
    root: folder.path,
    filter: createFolderFilter(folder, paths),
    signal,
    listHidden,
    sidecarSuffix: folder.notes_sidecar,
    statFiles,
    restartTimeout,
    enter,
    files: [],
    unreadableNames: [],
    unreadablePaths: [],
    removalNames: [],
  }
  const folders = ['']
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    restartTimeout()
    const failure = await readFolder(walk, next, folders)
    if (failure === null) continue
    if (next === '') return rootFailure(folder.path, failure)
    // These two codes mean that the folder was just removed or replaced. The next scan sees the new state.
    if (failure !== 'ENOENT' && failure !== 'ENOTDIR')
      walk.unreadablePaths.push(describeUnreadable(paths.join(folder.path, next), failure))
  }
  // If the drive was unplugged during the scan, the list is incomplete, and files would look deleted.
  const after = await checkRoot(folder.path, paths)
  if (after.kind !== 'present') return after
  if (after.volume.device !== before.volume.device || after.volume.inode !== before.volume.inode)
    return { kind: 'offline', detail: 'the folder was replaced while it was being read' }
  const { files, unreadableNames, unreadablePaths, removalNames } = walk
  return { kind: 'scanned', files, unreadableNames, unreadablePaths, removalNames, volume: before.volume }
}

const describeUnreadable = (path: string, code: string) => ({ path, code, detail: describeCode(code) })

/** The scan result for a folder whose drive does not answer. */
export const hungFolder = (path: string): ScanResult => rootFailure(path, new DriveTimeoutError().code)

export const volumeOf = async (
  path: string,
  paths: Paths = pathsOf(process.platform),
): Promise<VolumeIdentity | null> => {
  const root = await checkRoot(path, paths)
  return root.kind === 'present' ? root.volume : null
}

const checkRoot = async (
  path: string,
  paths: Pick<Paths, 'toOpen'>,
): Promise<
  { kind: 'present'; volume: VolumeIdentity } | Extract<ScanResult, { kind: 'offline' | 'unusable' }>
> => {
  try {
    const stats = await stat(paths.toOpen(path), { bigint: true })
    if (!stats.isDirectory()) return { kind: 'unusable', detail: 'this path is a file, not a folder' }
    const { dev, ino, birthtimeNs } = stats
    const entry = await lstat(paths.toOpen(path), { bigint: true })
    const isLink = entry.ino !== ino || entry.dev !== dev
    const drive = await readDriveIdentity(paths.toOpen(path), dev)
    // The inode alone does not identify the folder: the root folder of every ext4 drive has inode 2.
    return {
      kind: 'present',
      volume: { device: String(dev), inode: `${ino}:${birthtimeNs}`, drive, ...(isLink ? { isLink } : {}) },
    }
  } catch (error) {
    const code = systemCode(error)
    if (code === null) throw error
    return rootFailure(path, code)
  }
}

/** Errors that only a user can fix. After other errors, the drive or share probably comes back. */
const permanentCodes = new Set(['EACCES', 'EPERM', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'EINVAL'])

const rootFailure = (path: string, code: string): Extract<ScanResult, { kind: 'offline' | 'unusable' }> => {
  if (code === 'ENOENT') return { kind: 'offline', detail: `${path} is missing` }
  if (code === 'ENOTDIR') return { kind: 'unusable', detail: 'a part of this path is a file, not a folder' }
  const detail = `${path} cannot be read: ${describeCode(code)}`
  return permanentCodes.has(code) ? { kind: 'unusable', detail } : { kind: 'offline', detail }
}

/** Reads one folder in batches. Returns the error code if the folder itself cannot be read. */
const readFolder = async (walk: Walk, folder: string, folders: string[]): Promise<string | null> => {
  const before = {
    files: walk.files.length,
    unreadablePaths: walk.unreadablePaths.length,
    folders: folders.length,
  }
  try {
    const folderPath = walk.paths.join(walk.root, folder)
    const pathOf = walk.paths.createJoin(folderPath)
    const entries = await openFolder(walk.paths.toOpen(folderPath))
    await walk.enter(folderPath)
    let foundPaths: string[] = []
    for await (const batch of batchesOf(entries, walk.statFiles.maySyncRead)) {
      walk.signal.throwIfAborted()
      walk.restartTimeout()
      for (const entry of batch) {
        const name = classifyEntry(walk, folder, entry, folders)
        if (name !== null) foundPaths.push(pathOf(name))
      }
      if (foundPaths.length + batch.length <= walk.statFiles.batchSize) continue
      await addFiles(walk, foundPaths)
      foundPaths = []
    }
    await addFiles(walk, foundPaths)
    await omitHidden(walk, folder, folders, before)
    omitSidecars(walk, before.files)
    return null
  } catch (error) {
    const code = systemCode(error)
    if (code === null) throw error
    return code
  }
}

/**
 * Removes two kinds of entries from the lists of the scan: entries that Windows protects, and hidden entries that the
 * filter excludes. Runs after the folder was read, so that it also knows the attributes of files that were created
 * meanwhile. By default, the scan omits a file while its recorder hides it.
 */
const omitHidden = async (
  { listHidden, paths, root, filter, files, unreadablePaths }: Walk,
  folder: string,
  folders: string[],
  before: { readonly files: number; readonly unreadablePaths: number; readonly folders: number },
): Promise<void> => {
  const attributes = (await listHidden?.(paths.toOpen(paths.join(root, folder)))) ?? null
  if (attributes === null || attributes.hidden.size + attributes.protected.size === 0) return
  const isKept = (path: string) => isShown(attributes, path, filter)
  const relativeName = (path: string) => paths.nameInside(root, path) ?? ''
  keepOnly(files, before.files, (file) => isKept(relativeName(file.path)))
  keepOnly(unreadablePaths, before.unreadablePaths, (entry) => isKept(relativeName(entry.path)))
  keepOnly(folders, before.folders, isKept)
}

const isShown = (attributes: HiddenEntries, path: string, filter: FolderFilter): boolean => {
  const name = path.slice(path.lastIndexOf('/') + 1)
  if (attributes.protected.has(name)) return false
  return !attributes.hidden.has(name) || filter.takesHidden(path)
}

const keepOnly = <T>(list: T[], from: number, keeps: (item: T) => boolean): void => {
  let keptLength = from
  for (let index = from; index < list.length; index += 1) {
    const item = list[index] as T
    if (keeps(item)) list[keptLength++] = item
  }
  list.length = keptLength
}

/** Sluice sends a notes file together with its recording, so the scan does not list it as a recording. */
const omitSidecars = ({ sidecarSuffix, paths, files }: Walk, from: number): void => {
  if (sidecarSuffix === undefined) return
  const sidecars = sidecarsAmong(
    files.slice(from).map((file) => paths.nameOf(file.path)),
    sidecarSuffix,
  )
  keepOnly(files, from, (file) => !sidecars.has(paths.nameOf(file.path)))
}

/** Returns the name of a file to list; null for other entries. Adds subfolders to `folders`. Follows no links. */
const classifyEntry = (walk: Walk, folder: string, entry: FolderEntry, folders: string[]): string | null => {
  const isFolder = entry.isDirectory()
  if (!isFolder && !entry.isFile()) return null
  const text = entry.name.toString()
  // The replacement character may stand for invalid bytes, or the name may really contain it.
  const isText = !text.includes(REPLACEMENT) || isUtf8(entry.name)
  const name = isText ? text : escapeName(entry.name)
  const path = folder === '' ? name : `${folder}/${name}`
  if (!isFolder && isText && isRemovalName(name)) walk.removalNames.push(walk.paths.join(walk.root, path))
  if (!(isFolder ? walk.filter.entersFolder(path) : walk.filter.takesFile(path))) return null
  if (!isText) walk.unreadableNames.push(path)
  else if (isFolder) folders.push(path)
  else return name
  return null
}

const addFiles = async (
  { paths, statFiles, files, unreadablePaths }: Walk,
  found: readonly string[],
): Promise<void> => {
  const results = await statFiles.stat(found.map(paths.toOpen))
  for (const [index, path] of found.entries()) {
    const result = results[index] ?? 'ENOENT'
    if (typeof result !== 'string') {
      if (result.isFile()) files.push({ path, identity: identityOf(result) })
    } else if (result !== 'ENOENT' && result !== 'ENOTDIR') {
      unreadablePaths.push(describeUnreadable(path, result))
    }
  }
}
