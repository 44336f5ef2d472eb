import { access, stat } from 'node:fs/promises'
import { Refused } from '../../station-store/refused.ts'

/** Checks that a file exists. File managers show no error for a missing file. */
export const requireFile = async (file: string): Promise<string> => {
  try {
    await access(file)
    return file
  } catch {
    throw new Refused(`The file is no longer at ${file}.`)
  }
}

/** Checks that the path is a folder, because the system would open a file or start a program at this path. */
export const requireFolder = async (folder: string): Promise<string> => {
  const stats = await stat(folder).catch(() => null)
  if (stats?.isDirectory() !== true) throw new Refused(`There is no folder at ${folder}.`)
  return folder
}
