import { access } from 'node:fs/promises'
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
