import { type Dpapi, loadDpapi } from '../managed/windows-dpapi.ts'
import type { Keychain } from './keychain-file.ts'
import { ownerOnlyKeychain } from './owner-only-keychain.ts'

/** Where an agent without a window keeps its secrets. */
export type AgentKeychain = {
  readonly keychain: Keychain
  /** The platform whose keychain protects the secrets. 'linux' stands for file permissions only, on every system. */
  readonly platform: NodeJS.Platform
}

/** Loads the DPAPI libraries only once. Sluice reads the secrets often, to redact them in every log page. */
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
 * The keychain of a headless agent. On Windows, DPAPI encrypts the secrets for the account of the agent. Elsewhere, and
 * in a Windows task without the password of its account, only file permissions protect them.
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
