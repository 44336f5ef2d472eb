import { lstat } from 'node:fs/promises'
import type { Paths } from '../../../../shared/paths/paths.ts'
import type { PathPresence } from '../../ports/files.ts'
import { fileFailure } from './file-failure.ts'

/**
 * A program can swap a folder of the path for a link to a different place. So this function checks each folder between
 * the root and the file.
 */
export const presenceOf = async (file: string, root: string | null, paths: Paths): Promise<PathPresence> => {
  try {
    for (const folder of foldersBelow(root, file, paths))
      if (!(await lstat(paths.toOpen(folder))).isDirectory()) return 'replaced'
    return (await lstat(paths.toOpen(file))).isFile() ? 'file' : 'replaced'
  } catch (error) {
    return fileFailure(error).kind === 'file-vanished' ? 'missing' : 'unknown'
  }
}

/** The folders between the root and the file, the outermost first. */
const foldersBelow = (root: string | null, file: string, paths: Paths): readonly string[] => {
  const folder = paths.resolve(file, '..')
  return root !== null && paths.contains(root, folder) ? [...foldersBelow(root, folder, paths), folder] : []
}
