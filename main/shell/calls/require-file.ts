import { access, stat } from 'node:fs/promises'
import { Refused } from '../../station-store/refused.ts'

/** Checks that a file exists, because file managers show no error for a missing file. */
export const requireFile = async (file: string): Promise<string> => {
  try {
    await access(file)
    return file
  } catch {
    throw new Refused(`The file is no longer at ${file}.`)
  }
}

/**
 * Checks that the path is a folder. If it were a file, the system would open the file, or even start it as a program.
 */
export const requireFolder = async (folder: string): Promise<string> => {
  const stats = await stat(folder).catch(() => null)
  if (stats?.isDirectory() !== true) throw new Refused(`There is no folder at ${folder}.`)
  return folder
}
