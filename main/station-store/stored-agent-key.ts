import { agentKeychain } from './agent-keychain.ts'
import { agentKeyFile } from './owner-only-keychain.ts'
import { Secrets } from './secrets.ts'

/** The key of a headless agent. A user entered it in a window that was attached to the agent. */
export const agentSecrets = (dataFolder: string, address: string | undefined): Secrets => {
  const secrets = new Secrets({
    folder: dataFolder,
    ...agentKeychain(),
    log: () => {},
    file: agentKeyFile,
  })
  secrets.load(address)
  return secrets
}

/** The agent's key for this address. Null if there is none. */
export const storedAgentKey = (dataFolder: string, address: string | undefined): string | null =>
  agentSecrets(dataFolder, address).keyFor(address)
