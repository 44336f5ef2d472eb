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

/**
 * The key for this address: the key of the window or the key of the headless agent. If both are for this address,
 * returns the key that a user entered last, because the earlier key may be revoked. A station that has moved between
 * window and background service may have both keys. Null if neither is for this address.
 */
export const newestKey = (
  ofWindow: Pick<Secrets, 'keyFor' | 'storedAtMs'>,
  dataFolder: string,
  address: string | undefined,
): string | null => {
  const ofAgent = agentSecrets(dataFolder, address)
  const isAgentNewer = ofAgent.storedAtMs > ofWindow.storedAtMs
  const [first, second] = isAgentNewer ? [ofAgent, ofWindow] : [ofWindow, ofAgent]
  return first.keyFor(address) ?? second.keyFor(address)
}
