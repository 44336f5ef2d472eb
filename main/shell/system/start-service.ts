import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { windowsSystemFile } from '../../../shared/paths/system-files.ts'
import { Refused } from '../../station-store/refused.ts'

type Environment = Readonly<Record<string, string | undefined>>

type StartCommand = {
  readonly program: string
  readonly args: readonly string[]
  /** What to run in a terminal if the start fails. */
  readonly inTerminal: string
  /** Whether only an administrator may run it. */
  readonly needsAdministrator: boolean
}

/** The command that starts the background service. systemd asks for an administrator's password if necessary. */
export const startCommandFor = (
  platform: NodeJS.Platform,
  isUserService: boolean,
  environment: Environment,
): StartCommand => {
  switch (platform) {
    case 'win32':
      return {
        program: windowsSystemFile('schtasks.exe', environment),
        args: ['/Run', '/TN', 'Sluice'],
        inTerminal: 'sluice service start',
        needsAdministrator: true,
      }
    case 'darwin':
      return {
        program: '/bin/launchctl',
        args: ['kickstart', 'system/com.sluice.agent'],
        inTerminal: 'sudo launchctl kickstart system/com.sluice.agent',
        needsAdministrator: true,
      }
    default:
      return {
        program: '/usr/bin/systemctl',
        args: [...(isUserService ? ['--user'] : []), 'start', 'sluice.service'],
        inTerminal: isUserService ? 'sluice service start --user' : 'sudo sluice service start',
        needsAdministrator: !isUserService,
      }
  }
}

type Answer = { readonly code: number; readonly out: string }
export type RunQuery = (program: string, args: readonly string[]) => Promise<Answer>

const runQuery: RunQuery = (program, args) =>
  new Promise((resolve) => {
    execFile(program, args, { windowsHide: true }, (error, out) =>
      resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : 1, out }),
    )
  })

/**
 * The HRESULT code for a missing task. The messages of `schtasks` depend on the language of Windows, so Sluice compares
 * only the code.
 */
const FILE_NOT_FOUND = 0x8007_0002

/** Whether the service manager reports that the background service is not installed. Needs no administrator rights. */
export const isServiceMissing = async (
  isUserService: boolean,
  run: RunQuery = runQuery,
  platform: NodeJS.Platform = process.platform,
  environment: Environment = process.env,
): Promise<boolean> => {
  const { program } = startCommandFor(platform, isUserService, environment)
  switch (platform) {
    case 'win32': {
      const { code } = await run(program, ['/Query', '/TN', 'Sluice', '/HRESULT'])
      return code >>> 0 === FILE_NOT_FOUND
    }
    case 'darwin':
      // On macOS, Sluice never uninstalls the service itself, so the service counts as installed.
      return false
    default: {
      const args = [...(isUserService ? ['--user'] : []), 'show', '--property=LoadState', 'sluice.service']
      const { code, out } = await run(program, args)
      return code === 0 && out.trim() === 'LoadState=not-found'
    }
  }
}

/** The error text for a user who could not start the background service. */
export const startRefusal = ({ inTerminal, needsAdministrator }: StartCommand, reason: string): string =>
  `The background service could not be started: ${reason.trim().replace(/\.$/, '')}. ${
    needsAdministrator ? 'An administrator' : 'You'
  } can start it with: ${inTerminal}`

export const startService = async (isUserService: boolean): Promise<void> => {
  const command = startCommandFor(process.platform, isUserService, process.env)
  try {
    await promisify(execFile)(command.program, command.args, { windowsHide: true })
  } catch (error) {
    const { stderr = '', message } = error as Error & { readonly stderr?: string }
    throw new Refused(startRefusal(command, stderr.trim() || message))
  }
}
