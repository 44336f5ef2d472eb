import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import path from 'node:path'
import type { FolderVerdict } from '../../shared/ipc.ts'
import { type FolderSettings, settingsSchema } from '../../shared/settings.ts'
import type { FolderEyes } from './ports.ts'

const LOOK_LIMIT_MS = 5_000

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
  const outer = watched.find((other) => folder.startsWith(path.resolve(other.path) + path.sep))
  const writable = await access(folder, constants.W_OK).then(
    () => true,
    () => false,
  )
  const warning =
    outer !== undefined
      ? `It lies inside ${outer.path}, which is watched too; its files will use the settings given here.`
      : writable
        ? null
        : 'It is read-only: uploading works, but nothing can be moved or deleted there later.'
  return {
    ok: true,
    warning,
    files: result.files.length,
    bytes: result.files.reduce((sum, file) => sum + file.identity.sizeBytes, 0),
  }
}
