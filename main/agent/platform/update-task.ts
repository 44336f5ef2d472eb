import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { windowsSystemFile } from '../../../shared/paths/system-files.ts'
import type { UpdateInstaller } from '../ports/updates.ts'

const run = promisify(execFile)

/** The scheduled task that `sluice service install` registers on Windows. It runs `sluice update install` as the system. */
export const UPDATE_TASK = 'Sluice Update'

/**
 * The account of the service may not install programs. It may only start a task of the system, which takes nothing from
 * it but signed files.
 */
export const windowsUpdateInstaller: UpdateInstaller = {
  start: async () => {
    await run(windowsSystemFile('schtasks.exe', process.env), ['/Run', '/TN', UPDATE_TASK], {
      windowsHide: true,
    })
  },
}
