import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { windowsSystemFile } from '../../../shared/paths/system-files.ts'
import { Refused } from '../../station-store/refused.ts'

type Environment = Readonly<Record<string, string | undefined>>

type StartCommand = {
  readonly program: string
  readonly args: readonly string[]
  /** What an administrator runs if this user may not start the service. */
  readonly byAdministrator: string
}

/** The command that starts the service. systemd asks for an administrator's password if necessary. */
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
        byAdministrator: 'sluice service start',
      }
    case 'darwin':
      return {
        program: '/bin/launchctl',
        args: ['kickstart', 'system/com.sluice.agent'],
        byAdministrator: 'sudo launchctl kickstart system/com.sluice.agent',
      }
    default:
      return {
        program: '/usr/bin/systemctl',
        args: [...(isUserService ? ['--user'] : []), 'start', 'sluice.service'],
        byAdministrator: isUserService ? 'sluice service start --user' : 'sudo sluice service start',
      }
  }
}

/** The sentence for a user whose start failed. */
export const startRefusal = ({ byAdministrator }: StartCommand, reason: string): string =>
  `The service could not be started: ${reason.trim().replace(/\.$/, '')}. An administrator can start it with: ${byAdministrator}`

export const startService = async (isUserService: boolean): Promise<void> => {
  const command = startCommandFor(process.platform, isUserService, process.env)
  try {
    await promisify(execFile)(command.program, command.args, { windowsHide: true })
  } catch (error) {
    const { stderr = '', message } = error as Error & { readonly stderr?: string }
    throw new Refused(startRefusal(command, stderr.trim() || message))
  }
}
