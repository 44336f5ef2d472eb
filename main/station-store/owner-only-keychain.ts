import type { Keychain } from './secrets.ts'

/**
 * Replaces the system's keychain on a PC where no user is signed in to unlock it. The secrets are in files that
 * only the account of the agent can read. `basic_text` makes the window ask before it stores a key there.
 */
export const ownerOnlyKeychain: Keychain = {
  isEncryptionAvailable: () => true,
  encryptString: (text) => Buffer.from(text, 'utf8'),
  decryptString: (bytes) => bytes.toString('utf8'),
  getSelectedStorageBackend: () => 'basic_text',
  setUsePlainTextEncryption: () => {},
}

/** The secrets of a headless agent, which cannot open the keychain. */
export const agentKeyFile = 'agent-key.json'
export const agentMonitoringFile = 'agent-monitoring.json'
/** Commands write this file too. */
export const agentWebhooksFile = 'webhooks.json'
