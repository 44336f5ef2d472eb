import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Keychain, Secrets } from '../../../../main/station-store/secrets.ts'

const KEY = 'svc_live_abc'
const HERE = 'https://api.example.com'
const ELSEWHERE = 'http://127.0.0.1:9999'

/** Inverting every bit is enough encryption for a test. */
const turn = (bytes: Uint8Array) => Buffer.from(bytes.map((byte) => byte ^ 0xff))
/**
 * Like Electron's: without a keychain there is no encryption, unless the caller accepts encryption that protects nothing.
 */
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
  const open = (
    chain: Keychain,
    platform: NodeJS.Platform = 'linux',
    configured: string | undefined = HERE,
  ) => {
    const secrets = new Secrets({ folder, keychain: chain, platform, log: () => undefined })
    secrets.load(configured)
    return secrets
  }

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'sluice-key-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('survives a restart and is never in clear text on the disk', () => {
    open(keychain('gnome_libsecret')).save(HERE, KEY, false)
    expect(open(keychain('gnome_libsecret')).keyFor(HERE)).toBe(KEY)
    expect(readFileSync(path.join(folder, 'key.bin')).includes(KEY)).toBe(false)
  })

  it('is not stored without protection unless the user agreed', () => {
    const secrets = open(keychain('basic_text'))
    expect(secrets.describe()).toMatchObject({ available: true, protects: false, backend: 'basic_text' })
    expect(() => secrets.save(HERE, KEY, false)).toThrow(/This PC has no keychain/)
    expect(secrets.keyFor(HERE)).toBeNull()
    secrets.save(HERE, KEY, true)
    expect(open(keychain('basic_text')).keyFor(HERE)).toBe(KEY)
  })

  it('has to be entered again if it cannot be decrypted, and its file stays', () => {
    open(keychain('gnome_libsecret')).save(HERE, KEY, false)
    expect(open(lockedKeychain).describe().keyFor).toEqual([])
    expect(open(keychain('gnome_libsecret')).keyFor(HERE)).toBe(KEY)
  })

  it('stays in memory if there is no encryption', () => {
    const secrets = open(keychain('unknown', false))
    secrets.save(HERE, KEY, false)
    expect(secrets.keyFor(HERE)).toBe(KEY)
    expect(open(keychain('unknown', false)).keyFor(HERE)).toBeNull()
  })

  it('that cannot be stored is reported with the reason', () => {
    const secrets = open(keychain('gnome_libsecret'))
    mkdirSync(path.join(folder, 'key.bin.new'))
    expect(() => secrets.save(HERE, KEY, false)).toThrow(/^The key could not be stored\. ./)
    expect(secrets.keyFor(HERE)).toBeNull()
  })

  it('is gone after removal', () => {
    const secrets = open(keychain('kwallet5'))
    writeFileSync(path.join(folder, 'key.bin.new'), 'left by a write that was interrupted')
    secrets.save(HERE, KEY, false)
    secrets.forget()
    expect(secrets.describe().keyFor).toEqual([])
    expect(readdirSync(folder)).toEqual([])
    expect(open(keychain('kwallet5')).keyFor(HERE)).toBeNull()
  })

  it('is used only for the address it was entered for', () => {
    const secrets = open(keychain('gnome_libsecret'))
    secrets.save(`${HERE}/`, KEY, false)
    for (const now of [secrets, open(keychain('gnome_libsecret'), 'linux', ELSEWHERE)]) {
      expect(now.keyFor(ELSEWHERE)).toBeNull()
      expect(now.keyFor('http://api.example.com')).toBeNull()
      expect(now.keyFor('https://api.example.com:8443')).toBeNull()
      expect(now.keyFor(undefined)).toBeNull()
      expect(now.keyFor('https://API.example.com:443')).toBe(KEY)
      expect(now.describe().keyFor).toEqual([HERE])
    }
    secrets.save(ELSEWHERE, 'svc_live_other', false)
    expect(open(keychain('gnome_libsecret')).keyFor(HERE)).toBeNull()
  })

  it('of an earlier version is bound once to the address that is set', () => {
    writeFileSync(path.join(folder, 'key.bin'), keychain('gnome_libsecret').encryptString(KEY))
    expect(open(keychain('gnome_libsecret'), 'linux', HERE).keyFor(HERE)).toBe(KEY)
    const later = open(keychain('gnome_libsecret'), 'linux', ELSEWHERE)
    expect(later.keyFor(ELSEWHERE)).toBeNull()
    expect(later.keyFor(HERE)).toBe(KEY)
  })

  it('of an earlier version is dropped if no address is set', () => {
    writeFileSync(path.join(folder, 'key.bin'), keychain('gnome_libsecret').encryptString(KEY))
    const secrets = new Secrets({
      folder,
      keychain: keychain('gnome_libsecret'),
      platform: 'linux',
      log: () => undefined,
    })
    secrets.load(undefined)
    expect(secrets.key).toBeNull()
    expect(open(keychain('gnome_libsecret'), 'linux', ELSEWHERE).keyFor(ELSEWHERE)).toBeNull()
  })

  it('is protected by the system on macOS and Windows', () => {
    expect(open(keychain('unused'), 'darwin').describe().protects).toBe(true)
    expect(open(keychain('unused'), 'win32').describe().backend).toBe('DPAPI')
  })
})
