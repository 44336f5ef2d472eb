import { readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import type { Need } from '../support/needs.ts'

/**
 * A drive such as `E:\`, whose content the tests delete. So they never choose a drive themselves: on Windows, the user
 * sets it, and under Wine, `scripts/test-windows.mjs`.
 */
const root = process.env.SLUICE_EMPTY_DRIVE

export const emptyDrive: Need = () =>
  root === undefined ? 'an empty drive for this test (SLUICE_EMPTY_DRIVE)' : null

/** Returns the drive. Throws if it is not empty. */
export const useEmptyDrive = (): { readonly root: string; readonly clear: () => void } => {
  if (root === undefined || !/^[A-Z]:\\$/.test(root))
    throw new Error('SLUICE_EMPTY_DRIVE must be the root of a drive, such as E:\\')
  const names = readdirSync(root)
  if (names.length > 0) throw new Error(`${root} is not empty: ${names.join(', ')}`)
  const clear = () => {
    for (const name of readdirSync(root)) rmSync(path.join(root, name), { recursive: true, force: true })
  }
  return { root, clear }
}
