import {
  existsSync,
  linkSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { enrollKey } from '../../../../../main/shell/settings/enroll-key.ts'
import { ExternalKey } from '../../../../../main/station-store/external-key.ts'
import type { Keychain } from '../../../../../main/station-store/keychain-file.ts'
import { Secrets } from '../../../../../main/station-store/secrets.ts'
import { draftSettingsSchema } from '../../../../../shared/settings/settings.ts'
import { needs, posix } from '../../../../support/needs.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sluice-enroll-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))
const keyFile = () => path.join(folder, 'key')
const writeKey = (text: string) => writeFileSync(keyFile(), text, { mode: 0o600 })

const secretsWith = (backend: string) => {
  const keychain: Keychain = {
    isEncryptionAvailable: () => true,
    encryptString: (text) => Buffer.from(text).reverse(),
    decryptString: (bytes) => Buffer.from(bytes).reverse().toString(),
    getSelectedStorageBackend: () => backend,
    setUsePlainTextEncryption: () => {},
  }
  return new Secrets({ folder, keychain, platform: 'linux', log: () => {} })
}
const address = 'https://a.example.com'

describe('enrolling a key', () => {
  it('stores the key in the keychain under the service address, and removes the key file', () => {
    writeKey('svc_live_abc\n')
    const secrets = secretsWith('gnome_libsecret')
    expect(enrollKey(keyFile(), address, secrets)).toMatch(/is stored in the keychain, and .* is removed/)
    expect(secrets.keyFor(address)).toBe('svc_live_abc')
    expect(existsSync(keyFile())).toBe(false)
    const afterRestart = secretsWith('gnome_libsecret')
    afterRestart.load(address)
    expect(afterRestart.keyFor(address)).toBe('svc_live_abc')
  })

  it('keeps the file and stores nothing if it fails, and the message does not quote the key', () => {
    writeKey('svc_live_abc')
    const enrollMessage = (serviceAddress: string | undefined, backend: string) => {
      try {
        return enrollKey(keyFile(), serviceAddress, secretsWith(backend))
      } catch (error) {
        return (error as Error).message
      }
    }
    expect(enrollMessage(undefined, 'gnome_libsecret')).toMatch(/^No service address is set/)
    expect(enrollMessage(address, 'basic_text')).toMatch(
      /no keychain that protects a key.*service\.api_key_file/,
    )
    writeKey('no key at all: é')
    expect(enrollMessage(address, 'gnome_libsecret')).not.toContain('é')
    expect(existsSync(keyFile())).toBe(true)
    expect(existsSync(path.join(folder, 'key.bin'))).toBe(false)
  })
})

describe('a key file to enrol', needs(posix), () => {
  const swapWhileSaving = (swap: () => void) => {
    const secrets = secretsWith('gnome_libsecret')
    return Object.assign(Object.create(secrets) as Secrets, {
      save: (at: string, key: string, accept: boolean) => {
        secrets.save(at, key, accept)
        swap()
      },
      describe: () => secrets.describe(),
    })
  }

  it('is emptied even if it is moved during enrolment, and a file in its place stays unchanged', () => {
    writeKey('svc_live_abc')
    const [replacement, kept] = [path.join(folder, 'victim'), path.join(folder, 'kept')]
    writeFileSync(replacement, 'untouched')
    const secrets = swapWhileSaving(() => {
      renameSync(keyFile(), kept)
      linkSync(replacement, keyFile())
    })
    expect(enrollKey(keyFile(), address, secrets)).toMatch(/could not be removed. Remove this file.$/)
    expect(readFileSync(replacement, 'utf8')).toBe('untouched')
    expect(existsSync(keyFile())).toBe(true)
    expect(readFileSync(kept, 'utf8')).not.toContain('svc_live')
  })

  it('is refused if it is a link', () => {
    const target = path.join(folder, 'target')
    writeFileSync(target, 'svc_live_abc', { mode: 0o600 })
    symlinkSync(target, keyFile())
    expect(() => enrollKey(keyFile(), address, secretsWith('gnome_libsecret'))).toThrow('is a link')
    expect(readFileSync(target, 'utf8')).toBe('svc_live_abc')
  })
})

describe('a key from outside the keychain', () => {
  const serviceSettings = (service?: object) =>
    draftSettingsSchema.parse(service === undefined ? {} : { service }).service
  const keyWith = (sources: Partial<ConstructorParameters<typeof ExternalKey>[0]>) =>
    new ExternalKey({
      managed: () => undefined,
      own: () => undefined,
      environment: {},
      address: undefined,
      clock: { monotonicMs: () => 0 },
      log: () => {},
      ...sources,
    })

  it('comes from the managed settings first, then from the station’s own file, then from the environment', () => {
    writeKey('svc_live_file')
    const environment = { SLUICE_API_KEY: 'svc_live_env' }
    const ownSettings = () => serviceSettings({ base_url: address, api_key_file: keyFile() })
    const managed = () => ({ base_url: address, api_key: 'svc_live_managed' })
    expect(keyWith({ managed, own: ownSettings, environment, address }).keyFor(address)).toBe(
      'svc_live_managed',
    )
    expect(keyWith({ own: ownSettings, environment, address }).keyFor(address)).toBe('svc_live_file')
    expect(keyWith({ environment, address }).keyFor(address)).toBe('svc_live_env')
    expect(keyWith({ address }).keyFor(address)).toBeUndefined()
  })

  it('is used only for the address that it was configured with', () => {
    writeKey('svc_live_file')
    const other = 'https://typed.example.com'
    for (const key of [
      keyWith({ managed: () => ({ base_url: address, api_key_file: keyFile() }) }),
      keyWith({ own: () => serviceSettings({ base_url: address, api_key_file: keyFile() }) }),
      keyWith({ environment: { SLUICE_API_KEY: 'svc_live_env' }, address }),
    ]) {
      expect(key.keyFor(address)).toMatch(/^svc_live_/)
      expect(key.keyFor(other)).toBeUndefined()
    }
    // The key in a user's own file must not reach the administrator's service.
    const managed = () => ({ base_url: other })
    expect(
      keyWith({ managed, own: () => serviceSettings({ base_url: address, api_key_file: keyFile() }) }).keyFor(
        other,
      ),
    ).toBeUndefined()
  })

  it('is not replaced by a different key if it cannot be read, and a new key is detected', () => {
    const key = keyWith({
      own: () => serviceSettings({ base_url: address, api_key_file: keyFile() }),
      environment: { SLUICE_API_KEY: 'x' },
    })
    expect(key.keyFor(address)).toBeNull()
    expect(key.read().problem).toBe(`The key file ${keyFile()} is missing.`)
    expect(key.hasChanged()).toBe(false)
    writeKey('svc_live_new')
    expect(key.hasChanged()).toBe(true)
    expect(key.keyFor(address)).toBe('svc_live_new')
  })
})
