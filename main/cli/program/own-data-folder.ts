import { homedir } from 'node:os'
import { pathsOf } from '../../../shared/paths/paths.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The same folder as Electron's `appData`, which is not available to commands. */
const configFolder = (platform: NodeJS.Platform, environment: Environment, home: string): string => {
  const { join } = pathsOf(platform)
  switch (platform) {
    case 'win32':
      return environment.APPDATA || join(home, 'AppData\\Roaming')
    case 'darwin':
      return join(home, 'Library/Application Support')
    default:
      return environment.XDG_CONFIG_HOME || join(home, '.config')
  }
}

/** The data folder of this user's Sluice window. Commands use this station by default. */
export const ownDataFolder = (
  platform: NodeJS.Platform,
  environment: Environment,
  home: string = homedir(),
): string => pathsOf(platform).join(configFolder(platform, environment, home), 'sluice')
