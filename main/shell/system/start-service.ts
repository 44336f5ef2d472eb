import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { Refused } from '../../station-store/refused.ts'

/** Calls systemd, which asks for an administrator's password if necessary. */
export const startService = async (isUserService: boolean): Promise<void> => {
  const args = [...(isUserService ? ['--user'] : []), 'start', 'sluice.service']
  try {
    await promisify(execFile)('/usr/bin/systemctl', args)
  } catch (error) {
    const { stderr = '', message } = error as Error & { readonly stderr?: string }
    throw new Refused(`The service could not be started. ${stderr.trim() || message}`)
  }
}
