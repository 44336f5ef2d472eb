import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { windowsSystemFile } from '../../../shared/paths/system-files.ts'
import type { UpdateInstaller } from '../ports/updates.ts'

const run = promisify(execFile)

/**
 * "File not found" as an HRESULT. Unlike the messages of schtasks, this code does not depend on the language of
 * Windows.
 */
const FILE_NOT_FOUND = 0x8007_0002

const schtasks = (...args: readonly string[]) =>
  run(windowsSystemFile('schtasks.exe', process.env), args, { windowsHide: true })

/** The Windows task that `sluice service install` registers. It runs `sluice update install` as SYSTEM. */
export const UPDATE_TASK = 'Sluice Update'

/**
 * The account of the background service may not install programs. But it may start this task, which runs as SYSTEM and
 * installs only a file that a signed feed lists.
 */
const taskInstaller: UpdateInstaller = {
  isRegistered: async () => {
    try {
      await schtasks('/Query', '/TN', UPDATE_TASK, '/HRESULT')
      return true
    } catch (error) {
      // After any other failure, assume that the task is registered. If it is not, starting it fails and reports the
      // reason.
      return Number((error as { readonly code?: unknown }).code) >>> 0 !== FILE_NOT_FOUND
    }
  },
  start: async () => {
    await schtasks('/Run', '/TN', UPDATE_TASK)
  },
}

/**
 * Null unless the NSIS installer has installed Sluice: only this installer leaves an uninstaller beside the program.
 * Over an .msi, it would create a second installation in the same folder, and removing one would damage the other.
 */
export const windowsUpdateInstaller = (programFile: string): UpdateInstaller | null =>
  existsSync(path.join(path.dirname(programFile), 'uninstall.exe')) ? taskInstaller : null
