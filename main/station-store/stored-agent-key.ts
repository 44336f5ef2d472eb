import { agentKeyFile, ownerOnlyKeychain } from './owner-only-keychain.ts'
import { Secrets } from './secrets.ts'

/** What an agent without a window keeps: the key that was entered in a window while it ran this station. */
export const agentSecrets = (dataFolder: string, address: string | undefined): Secrets => {
  const stored = new Secrets({
    folder: dataFolder,
    keychain: ownerOnlyKeychain,
    platform: 'linux',
    log: () => {},
    file: agentKeyFile,
  })
  stored.load(address)
  return stored
}

/** Its key for this address. Null if there is none. */
export const storedAgentKey = (dataFolder: string, address: string | undefined): string | null =>
  agentSecrets(dataFolder, address).keyFor(address)
