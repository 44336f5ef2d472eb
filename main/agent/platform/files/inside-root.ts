import { fstatSync, readlinkSync, realpath, realpathSync, statSync } from 'node:fs'
import { type FileHandle, realpath as nativeRealpath, readlink, stat } from 'node:fs/promises'
import { promisify } from 'node:util'
import { pathsOf } from '../../../../shared/paths/paths.ts'

/**
 * Between the scan and the opening of a file, a program can swap a subfolder for a link. The path may then lead
 * anywhere, so these checks find out where the opened file itself lies. It must lie inside the watched folder, whose
 * own path may contain links.
 */

export const outsideDetail = 'it lies outside the watched folder'
const replacedDetail = 'a different file took its place while it was opened'

/**
 * On Windows, the native `realpath` fails on some RAM disks and shares, and may mishandle unusual or long names. So
 * Sluice uses the `realpath` that Node itself implements. Because that one fails on `\\?\D:\folder`
 * (nodejs/node#62446), Sluice removes `\\?\` from the path, and Node adds the prefix again for each system call.
 */
const nodeRealpath = promisify(realpath)
const withoutPrefix = (path: string): string => pathsOf('win32').resolve(path, '.')
export const resolvePath = (path: string, platform: NodeJS.Platform): Promise<string> =>
  platform === 'win32' ? nodeRealpath(withoutPrefix(path)) : nativeRealpath(path)
const resolvePathSync = (path: string, platform: NodeJS.Platform): string =>
  platform === 'win32' ? realpathSync(withoutPrefix(path)) : realpathSync.native(path)

/** Only a hint: this check does not open the file, and the path may lead elsewhere a moment later. */
export const isPathOutside = async (path: string, root: string | null): Promise<boolean> => {
  if (root === null) return false
  const { platform } = process
  const [realPath, realRoot] = await Promise.all([resolvePath(path, platform), resolvePath(root, platform)])
  return whyRealPathOutside(realRoot, realPath, platform) !== null
}

/** Why this folder may not be used; null if the folder is the root or lies in the root. */
export const whyFolderOutside = async (
  handle: FileHandle | null,
  folder: string,
  root: string,
): Promise<string | null> => {
  const { platform } = process
  const realRoot = await resolvePath(root, platform)
  const realPath = await (handle === null
    ? resolvePath(folder, platform)
    : readlink(`/proc/self/fd/${handle.fd}`))
  return pathsOf(platform).same(realRoot, realPath) ? null : whyRealPathOutside(realRoot, realPath, platform)
}

/** Why the opened file may not be read; null if it may be read. */
export const whyOutside = async (
  handle: FileHandle,
  path: string,
  root: string | null,
  platform: NodeJS.Platform = process.platform,
): Promise<string | null> => {
  if (root === null) return null
  const realPath = await realPathOf(handle, path, platform)
  return whyRealPathOutside(await resolvePath(root, platform), realPath, platform)
}

const whyRealPathOutside = (
  realRoot: string,
  realPath: string | null,
  platform: NodeJS.Platform,
): string | null => {
  if (realPath === null) return replacedDetail
  return pathsOf(platform).contains(realRoot, realPath) ? null : outsideDetail
}

/**
 * Linux reports the path of a handle. On other systems, Sluice resolves the path. Null if the resolved path leads to a
 * different file than the handle.
 */
const realPathOf = async (
  handle: FileHandle,
  path: string,
  platform: NodeJS.Platform,
): Promise<string | null> => {
  if (platform === 'linux') return readlink(`/proc/self/fd/${handle.fd}`)
  const realPath = await resolvePath(path, platform)
  const [pathStats, openStats] = await Promise.all([
    stat(realPath, { bigint: true }),
    handle.stat({ bigint: true }),
  ])
  return pathStats.dev === openStats.dev && pathStats.ino === openStats.ino ? realPath : null
}

/** The synchronous version of `whyOutside`, for worker threads. */
export const whyOutsideSync = (
  fd: number,
  path: string,
  root: string | null,
  platform: NodeJS.Platform = process.platform,
): string | null => {
  if (root === null) return null
  const realPath = realPathOfSync(fd, path, platform)
  return whyRealPathOutside(resolvePathSync(root, platform), realPath, platform)
}

const realPathOfSync = (fd: number, path: string, platform: NodeJS.Platform): string | null => {
  if (platform === 'linux') return readlinkSync(`/proc/self/fd/${fd}`)
  const realPath = resolvePathSync(path, platform)
  const [pathStats, openStats] = [statSync(realPath, { bigint: true }), fstatSync(fd, { bigint: true })]
  return pathStats.dev === openStats.dev && pathStats.ino === openStats.ino ? realPath : null
}
