import { statSync } from 'node:fs'
import { accountName } from './account-name.ts'

const denied: readonly unknown[] = ['EACCES', 'EPERM']

/** The sentence for a file that exists, but that this account may not read. */
export const missingRights = (file: string): string =>
  `The user ${accountName()} may not read ${file} (permission denied). Use root or the user who runs Sluice, or correct the rights.`

/** This account may not read a file of the station. The running agent may read it, so commands call the agent. */
export class MissingRightsError extends Error {
  constructor(file: string) {
    super(missingRights(file))
  }
}

export const isDenied = (error: unknown): boolean =>
  error instanceof Error && denied.includes((error as NodeJS.ErrnoException).code)

/** False if nothing exists at this path. Throws a MissingRightsError if this account may not check the path. */
export const isThere = (file: string): boolean => {
  try {
    statSync(file)
    return true
  } catch (error) {
    if (isDenied(error)) throw new MissingRightsError(file)
    return false
  }
}
