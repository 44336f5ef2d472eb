import { fstatSync, readlinkSync, realpath, realpathSync, statSync } from 'node:fs'
import { type FileHandle, realpath as nativeRealpath, readlink, stat } from 'node:fs/promises'
import { promisify } from 'node:util'
import { pathsOf } from '../../../../shared/paths/paths.ts'

/**
 * A program can swap a subfolder for a link between the scan and the open. The path may then lead anywhere. So these
 * checks resolve the location of the opened file itself. The path of the watched folder may contain links. Recordings
 * must lie inside the folder that those links lead to.
 */

export const outsideDetail = 'it lies outside the watched folder'
const replacedDetail = 'a different file took its place while it was opened'

/**
 * The native call of Windows fails on drives unknown to the mount manager, such as some RAM disks and shares. It may
 * also mishandle unusual or long names. Node's own resolver checks each folder on the path for links instead.
 */
const realpathByNames = promisify(realpath)
export const resolved = (path: string, platform: NodeJS.Platform): Promise<string> =>
  platform === 'win32' ? realpathByNames(path) : nativeRealpath(path)
const resolvedSync = (path: string, platform: NodeJS.Platform): string =>
  platform === 'win32' ? realpathSync(path) : realpathSync.native(path)

/** Only a hint: this check does not open the file, and the path may lead elsewhere a moment later. */
export const pathIsOutside = async (path: string, root: string | null): Promise<boolean> => {
  if (root === null) return false
  const { platform } = process
  const [real, realRoot] = await Promise.all([resolved(path, platform), resolved(root, platform)])
  return whyRealPathOutside(realRoot, real, platform) !== null
}

/** Why this folder may not be used; null if the folder is the root or lies in the root. */
export const whyFolderOutside = async (
  handle: FileHandle | null,
  folder: string,
  root: string,
  platform: NodeJS.Platform = process.platform,
): Promise<string | null> => {
  const realRoot = await resolved(root, platform)
  const real = await (handle === null ? resolved(folder, platform) : readlink(`/proc/self/fd/${handle.fd}`))
  return pathsOf(platform).same(realRoot, real) ? null : whyRealPathOutside(realRoot, real, platform)
}

/** Why the opened file may not be read; null if it may be read. */
export const whyOutside = async (
  handle: FileHandle,
  path: string,
  root: string | null,
  platform: NodeJS.Platform = process.platform,
): Promise<string | null> => {
  if (root === null) return null
  const real = await realPathOf(handle, path, platform)
  return whyRealPathOutside(await resolved(root, platform), real, platform)
}

const whyRealPathOutside = (
  realRoot: string,
  real: string | null,
  platform: NodeJS.Platform,
): string | null => {
  if (real === null) return replacedDetail
  return pathsOf(platform).contains(realRoot, real) ? null : outsideDetail
}

/** Linux reports the path of a handle. On other systems, the resolved path must lead to the open file. */
const realPathOf = async (
  handle: FileHandle,
  path: string,
  platform: NodeJS.Platform,
): Promise<string | null> => {
  if (platform === 'linux') return readlink(`/proc/self/fd/${handle.fd}`)
  const real = await resolved(path, platform)
  const [there, opened] = await Promise.all([stat(real, { bigint: true }), handle.stat({ bigint: true })])
  return there.dev === opened.dev && there.ino === opened.ino ? real : null
}

/** The synchronous version, for worker threads. */
export const whyOutsideSync = (
  fd: number,
  path: string,
  root: string | null,
  platform: NodeJS.Platform = process.platform,
): string | null => {
  if (root === null) return null
  const real = realPathOfSync(fd, path, platform)
  return whyRealPathOutside(resolvedSync(root, platform), real, platform)
}

const realPathOfSync = (fd: number, path: string, platform: NodeJS.Platform): string | null => {
  if (platform === 'linux') return readlinkSync(`/proc/self/fd/${fd}`)
  const real = resolvedSync(path, platform)
  const [there, opened] = [statSync(real, { bigint: true }), fstatSync(fd, { bigint: true })]
  return there.dev === opened.dev && there.ino === opened.ino ? real : null
}
