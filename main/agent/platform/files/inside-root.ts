import { fstatSync, readlinkSync, realpath, realpathSync, statSync } from 'node:fs'
import { type FileHandle, readlink, stat, realpath as systemsRealpath } from 'node:fs/promises'
import { promisify } from 'node:util'
import { pathsOf } from '../../../../shared/paths/paths.ts'

/**
 * A folder below the watched one can be swapped for a link between the scan and the opening, and then the path leads
 * anywhere. So it is the opened file itself that is asked where it lies. The watched folder may be reached through
 * links: where those lead is where its recordings have to be.
 */

export const outsideDetail = 'it lies outside the watched folder'
const replacedDetail = 'another file took its place while it was opened'

/**
 * Windows' own resolving needs a drive that its mount manager knows, which some RAM disks and shares are not, and is
 * not known to keep every name and length. Node's other way asks each folder on the path whether it is a link.
 */
const byNames = promisify(realpath)
export const resolved = (path: string, platform: NodeJS.Platform): Promise<string> =>
  platform === 'win32' ? byNames(path) : systemsRealpath(path)
const resolvedSync = (path: string, platform: NodeJS.Platform): string =>
  platform === 'win32' ? realpathSync(path) : realpathSync.native(path)

/** Without opening it; only a hint, because the next look at the same path may lead elsewhere. */
export const pathIsOutside = async (path: string, root: string | null): Promise<boolean> => {
  if (root === null) return false
  const { platform } = process
  const [real, realRoot] = await Promise.all([resolved(path, platform), resolved(root, platform)])
  return judge(realRoot, real, platform) !== null
}

/** Why nothing may be done in the opened folder; null when it is the root or lies in it. */
export const whyFolderOutside = async (
  handle: FileHandle | null,
  folder: string,
  root: string,
  platform: NodeJS.Platform = process.platform,
): Promise<string | null> => {
  const realRoot = await resolved(root, platform)
  const real = await (handle === null ? resolved(folder, platform) : readlink(`/proc/self/fd/${handle.fd}`))
  return pathsOf(platform).same(realRoot, real) ? null : judge(realRoot, real, platform)
}

/** Why the opened file may not be read; null when it may. */
export const whyOutside = async (
  handle: FileHandle,
  path: string,
  root: string | null,
  platform: NodeJS.Platform = process.platform,
): Promise<string | null> => {
  if (root === null) return null
  const real = await realPathOf(handle, path, platform)
  return judge(await resolved(root, platform), real, platform)
}

const judge = (realRoot: string, real: string | null, platform: NodeJS.Platform): string | null => {
  if (real === null) return replacedDetail
  return pathsOf(platform).contains(realRoot, real) ? null : outsideDetail
}

/** Linux knows the path of a handle. Elsewhere the path is resolved, and must lead to the very file that is open. */
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

/** The same for a thread that has nothing else to do meanwhile. */
export const whyOutsideSync = (
  fd: number,
  path: string,
  root: string | null,
  platform: NodeJS.Platform = process.platform,
): string | null => {
  if (root === null) return null
  const real = realPathOfSync(fd, path, platform)
  return judge(resolvedSync(root, platform), real, platform)
}

const realPathOfSync = (fd: number, path: string, platform: NodeJS.Platform): string | null => {
  if (platform === 'linux') return readlinkSync(`/proc/self/fd/${fd}`)
  const real = resolvedSync(path, platform)
  const [there, opened] = [statSync(real, { bigint: true }), fstatSync(fd, { bigint: true })]
  return there.dev === opened.dev && there.ino === opened.ino ? real : null
}
