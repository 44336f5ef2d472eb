import { type Dpapi, loadDpapi } from '../managed/windows-dpapi.ts'
import type { Keychain } from './keychain-file.ts'
import { ownerOnlyKeychain } from './owner-only-keychain.ts'

/** Where an agent without a window keeps its secrets. */
export type AgentKeychain = {
  readonly keychain: Keychain
  /**
   * The platform whose keychain protects the secrets. On every system, 'linux' means that only file permissions protect
   * them.
   */
  readonly platform: NodeJS.Platform
}

/**
 * Loads the DPAPI libraries only once, because Sluice reads the secrets often: it redacts them in every log page that
 * it returns.
 */
const loadOnce = (() => {
  let loaded: Dpapi | null = null
  return (): Dpapi => {
    loaded ??= loadDpapi()
    return loaded
  }
})()

const ownerOnly: AgentKeychain = { keychain: ownerOnlyKeychain, platform: 'linux' }

const PROBE = Buffer.from('Sluice')

/** Bytes that DPAPI has encrypted never begin with `{`. */
const isPlainJson = (bytes: Buffer): boolean => bytes[0] === '{'.charCodeAt(0)

const dpapiKeychain = ({ protect, unprotect }: Dpapi): AgentKeychain => ({
  platform: 'win32',
  keychain: {
    isEncryptionAvailable: () => true,
    encryptString: (text) => protect(Buffer.from(text, 'utf8')),
    // Earlier versions stored secrets without encryption, and so does an agent that cannot use DPAPI.
    decryptString: (bytes) => (isPlainJson(bytes) ? bytes : unprotect(bytes)).toString('utf8'),
    setUsePlainTextEncryption: () => {},
  },
})

/**
 * The keychain of a headless agent. On Windows, DPAPI encrypts the secrets for the account of the agent. Elsewhere,
 * only file permissions protect them. The same applies to a scheduled task without the password of its account, because
 * such a task cannot use DPAPI.
 */
export const agentKeychain = (
  platform: NodeJS.Platform = process.platform,
  load: () => Dpapi = loadOnce,
): AgentKeychain => {
  if (platform !== 'win32') return ownerOnly
  try {
    const dpapi = load()
    return dpapi.unprotect(dpapi.protect(PROBE)).equals(PROBE) ? dpapiKeychain(dpapi) : ownerOnly
  } catch {
    return ownerOnly
  }
}
