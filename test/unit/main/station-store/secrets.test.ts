import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Keychain } from '../../../../main/station-store/keychain-file.ts'
import { Secrets } from '../../../../main/station-store/secrets.ts'

const KEY = 'svc_live_abc'
const ADDRESS = 'https://api.example.com'
const OTHER_ADDRESS = 'http://127.0.0.1:9999'

const invert = (bytes: Uint8Array) => Buffer.from(bytes.map((byte) => byte ^ 0xff))
/** Works like Electron's `safeStorage`. The backend `basic_text` encrypts only on request, and does not protect. */
const createKeychain = (backend: string, hasSystemKeychain = backend !== 'basic_text'): Keychain => {
  let available = hasSystemKeychain
  return {
    isEncryptionAvailable: () => available,
    encryptString: (text) => invert(Buffer.from(text)),
    decryptString: (bytes) => invert(bytes).toString(),
    getSelectedStorageBackend: () => backend,
    setUsePlainTextEncryption: (on) => {
      available ||= on && backend === 'basic_text'
    },
  }
}
const lockedKeychain: Keychain = {
  ...createKeychain('gnome_libsecret'),
  decryptString: () => {
    throw new Error('locked')
  },
}

describe('the key of the station', () => {
  let folder: string
  const openSecrets = (
    keychain: Keychain,
    platform: NodeJS.Platform = 'linux',
    configured: string | undefined = ADDRESS,
  ) => {
    const secrets = new Secrets({ folder, keychain, platform, log: () => undefined })
    secrets.load(configured)
    return secrets
  }

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'sluice-key-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('survives a restart and is never in clear text on the disk', () => {
    openSecrets(createKeychain('gnome_libsecret')).save(ADDRESS, KEY, false)
    expect(openSecrets(createKeychain('gnome_libsecret')).keyFor(ADDRESS)).toBe(KEY)
    expect(readFileSync(path.join(folder, 'key.bin')).includes(KEY)).toBe(false)
  })

  it('is stored without protection only if the user agreed', () => {
    const secrets = openSecrets(createKeychain('basic_text'))
    expect(secrets.describe()).toMatchObject({ available: true, protects: false, backend: 'basic_text' })
    expect(() => secrets.save(ADDRESS, KEY, false)).toThrow(/This PC has no keychain/)
    expect(secrets.keyFor(ADDRESS)).toBeNull()
    secrets.save(ADDRESS, KEY, true)
    expect(openSecrets(createKeychain('basic_text')).keyFor(ADDRESS)).toBe(KEY)
  })

  it('is missing while it cannot be decrypted, but is not lost', () => {
    openSecrets(createKeychain('gnome_libsecret')).save(ADDRESS, KEY, false)
    expect(openSecrets(lockedKeychain).describe().addressesWithKey).toEqual([])
    expect(openSecrets(createKeychain('gnome_libsecret')).keyFor(ADDRESS)).toBe(KEY)
  })

  it('is kept only in memory if there is no encryption', () => {
    const secrets = openSecrets(createKeychain('unknown', false))
    secrets.save(ADDRESS, KEY, false)
    expect(secrets.keyFor(ADDRESS)).toBe(KEY)
    expect(openSecrets(createKeychain('unknown', false)).keyFor(ADDRESS)).toBeNull()
  })

  it('is not used if it cannot be stored, and the error names the reason', () => {
    const secrets = openSecrets(createKeychain('gnome_libsecret'))
    mkdirSync(path.join(folder, 'key.bin.new'))
    expect(() => secrets.save(ADDRESS, KEY, false)).toThrow(/^The key could not be stored\. ./)
    expect(secrets.keyFor(ADDRESS)).toBeNull()
  })

  it('is gone after removal', () => {
    const secrets = openSecrets(createKeychain('kwallet5'))
    writeFileSync(path.join(folder, 'key.bin.new'), 'left by a write that was interrupted')
    secrets.save(ADDRESS, KEY, false)
    secrets.forget()
    expect(secrets.describe().addressesWithKey).toEqual([])
    expect(readdirSync(folder)).toEqual([])
    expect(openSecrets(createKeychain('kwallet5')).keyFor(ADDRESS)).toBeNull()
  })

  it('is used only for the address that it was entered for', () => {
    const secrets = openSecrets(createKeychain('gnome_libsecret'))
    secrets.save(`${ADDRESS}/`, KEY, false)
    for (const each of [secrets, openSecrets(createKeychain('gnome_libsecret'), 'linux', OTHER_ADDRESS)]) {
      expect(each.keyFor(OTHER_ADDRESS)).toBeNull()
      expect(each.keyFor('http://api.example.com')).toBeNull()
      expect(each.keyFor('https://api.example.com:8443')).toBeNull()
      expect(each.keyFor(undefined)).toBeNull()
      expect(each.keyFor('https://API.example.com:443')).toBe(KEY)
      expect(each.describe().addressesWithKey).toEqual([ADDRESS])
    }
    secrets.save(OTHER_ADDRESS, 'svc_live_other', false)
    expect(openSecrets(createKeychain('gnome_libsecret')).keyFor(ADDRESS)).toBeNull()
  })

  it('gets the address in the settings if an earlier version stored it without an address', () => {
    writeFileSync(path.join(folder, 'key.bin'), createKeychain('gnome_libsecret').encryptString(KEY))
    expect(openSecrets(createKeychain('gnome_libsecret'), 'linux', ADDRESS).keyFor(ADDRESS)).toBe(KEY)
    const afterRestart = openSecrets(createKeychain('gnome_libsecret'), 'linux', OTHER_ADDRESS)
    expect(afterRestart.keyFor(OTHER_ADDRESS)).toBeNull()
    expect(afterRestart.keyFor(ADDRESS)).toBe(KEY)
  })

  it('is dropped if an earlier version stored it without an address and the settings have none', () => {
    writeFileSync(path.join(folder, 'key.bin'), createKeychain('gnome_libsecret').encryptString(KEY))
    const secrets = new Secrets({
      folder,
      keychain: createKeychain('gnome_libsecret'),
      platform: 'linux',
      log: () => undefined,
    })
    secrets.load(undefined)
    expect(secrets.key).toBeNull()
    expect(
      openSecrets(createKeychain('gnome_libsecret'), 'linux', OTHER_ADDRESS).keyFor(OTHER_ADDRESS),
    ).toBeNull()
  })

  it('is protected by the system on macOS and Windows', () => {
    expect(openSecrets(createKeychain('unused'), 'darwin').describe().protects).toBe(true)
    expect(openSecrets(createKeychain('unused'), 'win32').describe().backend).toBe('DPAPI')
  })
})
