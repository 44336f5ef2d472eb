import type { Keychain } from './keychain-file.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** The control characters that JSON text cannot contain. */
const controlCharacter = /(?![\t\r\n\x7f-\x9f])\p{Cc}/u

/** Throws for bytes that this keychain did not write, such as a secret that DPAPI encrypted. */
const plainTextIn = (bytes: Buffer): string => {
  const text = utf8.decode(bytes)
  if (controlCharacter.test(text)) throw new Error('these bytes are not plain text')
  return text
}

/**
 * Replaces the system's keychain for a headless agent, which also runs while no user is signed in to unlock that
 * keychain. On Windows, `agentKeychain` prefers DPAPI. This keychain does not encrypt: only the account of the agent
 * can read the files. `basic_text` makes the window ask before Sluice stores a key in such a file.
 */
export const ownerOnlyKeychain: Keychain = {
  isEncryptionAvailable: () => true,
  encryptString: (text) => Buffer.from(text, 'utf8'),
  decryptString: plainTextIn,
  getSelectedStorageBackend: () => 'basic_text',
  setUsePlainTextEncryption: () => {},
}

/** The files with the secrets of a headless agent, which cannot open a user's keychain. */
export const agentKeyFile = 'agent-key.json'
export const agentMonitoringFile = 'agent-monitoring.json'
/** `sluice` commands read and write this file too. */
export const agentWebhooksFile = 'webhooks.json'
