import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Keychain, Secrets } from '../../main/shell/settings/secrets.ts'

const KEY = 'svc_live_abc'

/** Turns every bit, which is all that a test needs of an encryption. */
const turn = (bytes: Uint8Array) => Buffer.from(bytes.map((byte) => byte ^ 0xff))
/** As Electron's: without a keychain there is no encryption, unless one that protects nothing was asked for. */
const keychain = (backend: string, hasKeychain = backend !== 'basic_text'): Keychain => {
  let available = hasKeychain
  return {
    isEncryptionAvailable: () => available,
    encryptString: (text) => turn(Buffer.from(text)),
    decryptString: (bytes) => turn(bytes).toString(),
    getSelectedStorageBackend: () => backend,
    setUsePlainTextEncryption: (on) => {
      available ||= on && backend === 'basic_text'
    },
  }
}
const lockedKeychain: Keychain = {
  ...keychain('gnome_libsecret'),
  decryptString: () => {
    throw new Error('locked')
  },
}

describe('the key of the station', () => {
  let folder: string
  const open = (chain: Keychain, platform: NodeJS.Platform = 'linux') => {
    const secrets = new Secrets({ folder, keychain: chain, platform, log: () => undefined })
    secrets.load()
    return secrets
  }

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'sluice-key-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('comes back after a restart and is never in clear on the disk', () => {
    open(keychain('gnome_libsecret')).save(KEY, false)
    expect(open(keychain('gnome_libsecret')).key).toBe(KEY)
    expect(readFileSync(path.join(folder, 'key.bin')).includes(KEY)).toBe(false)
  })

  it('is not stored where nothing protects it, unless the person agreed', () => {
    const secrets = open(keychain('basic_text'))
    expect(secrets.describe()).toMatchObject({ available: true, protects: false, backend: 'basic_text' })
    expect(() => secrets.save(KEY, false)).toThrow(/unprotected/)
    expect(secrets.key).toBeNull()
    secrets.save(KEY, true)
    expect(open(keychain('basic_text')).key).toBe(KEY)
  })

  it('is asked for again when it cannot be decrypted, and is not thrown away', () => {
    open(keychain('gnome_libsecret')).save(KEY, false)
    expect(open(lockedKeychain).describe().hasKey).toBe(false)
    expect(open(keychain('gnome_libsecret')).key).toBe(KEY)
  })

  it('lives in memory only where there is no encryption at all', () => {
    const secrets = open(keychain('unknown', false))
    secrets.save(KEY, false)
    expect(secrets.key).toBe(KEY)
    expect(open(keychain('unknown', false)).key).toBeNull()
  })

  it('that cannot be stored is not taken for stored, and says why', () => {
    const secrets = open(keychain('gnome_libsecret'))
    mkdirSync(path.join(folder, 'key.bin.new'))
    expect(() => secrets.save(KEY, false)).toThrow(/^The key could not be stored\. ./)
    expect(secrets.key).toBeNull()
  })

  it('is gone once forgotten', () => {
    const secrets = open(keychain('kwallet5'))
    secrets.save(KEY, false)
    secrets.forget()
    expect(secrets.describe().hasKey).toBe(false)
    expect(open(keychain('kwallet5')).key).toBeNull()
  })

  it('is protected by the system on macOS and Windows', () => {
    expect(open(keychain('unused'), 'darwin').describe().protects).toBe(true)
    expect(open(keychain('unused'), 'win32').describe().backend).toBe('DPAPI')
  })
})
