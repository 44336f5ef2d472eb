import { existsSync } from 'node:fs'
import path from 'node:path'
import { agentKeyFile } from '../../station-store/owner-only-keychain.ts'
import { windowKeyFile } from '../../station-store/secrets.ts'
import type { ServicePlan } from './service-files.ts'

/**
 * Tells the user to enter the key again, because a background service cannot read the key that a window has stored.
 * Null if the window stored no key, or if the background service has a key of its own.
 */
export const hintAboutKey = (
  windowFolder: string,
  { dataFolder, keyFile }: Pick<ServicePlan, 'dataFolder' | 'keyFile'>,
): string | null => {
  const hasOwnKey = keyFile !== null || existsSync(path.join(dataFolder, agentKeyFile))
  return hasOwnKey || !existsSync(path.join(windowFolder, windowKeyFile))
    ? null
    : 'The background service cannot use the key that was entered in the window. Open the window and enter the key again, unless the settings name a key file.'
}
