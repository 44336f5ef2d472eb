import { stat, statfs } from 'node:fs/promises'
import path from 'node:path'
import { type Paths, pathsOf } from '../../../../shared/paths/paths.ts'
import type { Drive } from '../../ports/folders.ts'
import { systemCode } from './file-failure.ts'
import type { createRemovableCheck } from './removable-drive.ts'

/** The mount point of the folder: the outermost folder on its path that is on the same device. */
const mountOf = async (folder: string, device: bigint): Promise<string> => {
  const parent = path.dirname(folder)
  if (parent === folder) return folder
  const { dev } = await stat(parent, { bigint: true })
  return dev === device ? mountOf(parent, device) : folder
}

/**
 * Total and free space on the folder's drive; null if the folder is missing or cannot be read. A hung drive blocks this
 * call.
 */
export const driveOf = async (
  folder: string,
  paths: Paths = pathsOf(process.platform),
  isRemovable: ReturnType<typeof createRemovableCheck> = async () => false,
): Promise<Drive | null> => {
  const pathToOpen = paths.toOpen(folder)
  try {
    const { dev } = await stat(pathToOpen, { bigint: true })
    const { bavail, blocks, bsize } = await statfs(pathToOpen)
    const name = paths.rules.hasDrives ? (paths.driveOf(folder) ?? folder) : await mountOf(folder, dev)
    const removable = await isRemovable({ name, device: dev })
    return { device: String(dev), name, totalBytes: blocks * bsize, freeBytes: bavail * bsize, removable }
  } catch (error) {
    if (systemCode(error) === null) throw error
    return null
  }
}
