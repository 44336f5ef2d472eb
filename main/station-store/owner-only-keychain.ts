import type { Keychain } from './secrets.ts'

/**
 * Stands in for the system's keychain where nobody is signed in to unlock one. The secrets are in files that only the
 * account of the agent can read. `basic_text` makes the window ask before it stores a key there.
 */
export const ownerOnlyKeychain: Keychain = {
  isEncryptionAvailable: () => true,
  encryptString: (text) => Buffer.from(text, 'utf8'),
  decryptString: (bytes) => bytes.toString('utf8'),
  getSelectedStorageBackend: () => 'basic_text',
  setUsePlainTextEncryption: () => {},
}

/** The secrets of an agent without a window, beside those of the keychain, which it cannot open. */
export const agentKeyFile = 'agent-key.json'
export const agentMonitoringFile = 'agent-monitoring.json'
/** The commands write it too. */
export const agentWebhooksFile = 'webhooks.json'
