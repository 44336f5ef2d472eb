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

/** Checks that it is a folder. The system would start a program or open a file that is in its place. */
export const requireFolder = async (folder: string): Promise<string> => {
  const stats = await stat(folder).catch(() => null)
  if (stats?.isDirectory() !== true) throw new Refused(`There is no folder at ${folder}.`)
  return folder
}
