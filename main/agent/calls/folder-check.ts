import { constants } from 'node:fs'
import { access, stat, statfs } from 'node:fs/promises'
import path from 'node:path'
import type { FolderVerdict } from '../../../shared/ipc.ts'
import { type FolderSettings, settingsSchema } from '../../../shared/settings.ts'
import type { FolderEyes } from '../ports.ts'

const LOOK_LIMIT_MS = 5_000

/** What Linux calls NFS, SMB 1 to 3, 9P and AFS. FUSE may be either, so it is not told apart. */
const NETWORK_TYPES = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x01021997, 0x5346414f])

/** By its type on Linux, by its name on Windows: `\\server\share`. */
export const isOnNetwork = (folder: string, type: number): boolean =>
  folder.startsWith('\\\\') || NETWORK_TYPES.has(type)

const isInside = (inner: string, outer: string): boolean =>
  path.resolve(inner).startsWith(path.resolve(outer) + path.sep)

const refuse = (reason: string): FolderVerdict => ({ ok: false, reason })

/** Whether a folder can be watched, and what a person should know before they choose it. */
export const checkFolder = async (
  chosen: string,
  watched: readonly FolderSettings[],
  eyes: FolderEyes,
): Promise<FolderVerdict> => {
  if (!path.isAbsolute(chosen)) return refuse('Give the whole path, from the root of the drive.')
  const folder = path.resolve(chosen)
  if (path.dirname(folder) === folder)
    return refuse('This is a whole drive. Choose the folder the recorder writes to.')
  const info = await stat(folder).catch(() => null)
  if (info === null) return refuse('There is no such folder.')
  if (!info.isDirectory()) return refuse('This is a file, not a folder.')
  if (watched.some((other) => path.resolve(other.path) === folder))
    return refuse('This folder is watched already.')
  try {
    await access(folder, constants.R_OK | constants.X_OK)
  } catch {
    return refuse('Sluice may not read this folder. Correct its rights, or choose another.')
  }
  const [parsed] = settingsSchema.shape.folders.parse([{ path: folder, site: 'check' }]) ?? []
  if (parsed === undefined) return refuse('This folder cannot be watched.')
  const result = await eyes.scan(parsed, AbortSignal.timeout(LOOK_LIMIT_MS))
  if (result.kind !== 'scanned') return refuse(`The folder cannot be read (${result.detail}).`)
  const writable = await access(folder, constants.W_OK).then(
    () => true,
    () => false,
  )
  const { type } = await statfs(folder).catch(() => ({ type: 0 }))
  const warnings = [
    ...watched
      .filter((other) => isInside(folder, other.path))
      .map(
        ({ path: outer }) =>
          `It lies inside ${outer}, which is watched too; its files will use the settings given here.`,
      ),
    ...watched
      .filter((other) => isInside(other.path, folder))
      .map(({ path: inner }) => `${inner} lies inside it and keeps its own settings.`),
    ...(isOnNetwork(folder, type)
      ? ['It is on a network drive: Sluice may notice a new file half a minute later than on a local one.']
      : []),
    ...(writable ? [] : ['It can be read but not written to. Uploading needs no more.']),
  ]
  return {
    ok: true,
    warning: warnings.length === 0 ? null : warnings.join(' '),
    files: result.files.length,
    bytes: result.files.reduce((sum, file) => sum + file.identity.sizeBytes, 0),
  }
}
