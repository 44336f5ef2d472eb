import { agentKeychain } from './agent-keychain.ts'
import { agentKeyFile } from './owner-only-keychain.ts'
import { Secrets } from './secrets.ts'

/** The key that a user entered in a window attached to a headless agent. */
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

export const storedAgentKey = (dataFolder: string, address: string | undefined): string | null =>
  agentSecrets(dataFolder, address).keyFor(address)

/**
 * The key of the window or of the headless agent. A station that has moved between window and background service may
 * have both. If both are for this address, returns the newer key, because the earlier one may be revoked.
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
