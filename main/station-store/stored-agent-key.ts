import { agentKeyFile, ownerOnlyKeychain } from './owner-only-keychain.ts'
import { Secrets } from './secrets.ts'

/** The key that was entered in a window while an agent without a window ran this station. Null if there is none. */
export const storedAgentKey = (dataFolder: string, address: string | undefined): string | null => {
  const stored = new Secrets({
    folder: dataFolder,
    keychain: ownerOnlyKeychain,
    platform: 'linux',
    log: () => {},
    file: agentKeyFile,
  })
  stored.load(address)
  return stored.keyFor(address)
}
