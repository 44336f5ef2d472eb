import { homedir } from 'node:os'
import { pathsOf } from '../../../shared/paths/paths.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Where Electron keeps an app's own things; a command has to find them without it. */
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

/** Of this user's Sluice with its window: the station that is meant where none is named. */
export const ownDataFolder = (
  platform: NodeJS.Platform,
  environment: Environment,
  home: string = homedir(),
): string => pathsOf(platform).join(configFolder(platform, environment, home), 'sluice')
