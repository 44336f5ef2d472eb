import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readOwnSettings } from '../../../../main/cli/settings-file.ts'
import { previewSettingsFile } from '../../../../main/shell/settings/preview-settings-file.ts'
import { monitoringCalls } from '../../../../main/station-store/monitoring-calls.ts'
import { MonitoringSecretStore } from '../../../../main/station-store/monitoring-secrets.ts'
import { SettingsStore } from '../../../../main/station-store/settings-store.ts'
import { linuxPaths } from '../../../../shared/paths/paths.ts'
import { redact, redactJson } from '../../../../shared/redaction/redact.ts'
import type { ManagedSettings } from '../../../../shared/settings/managed-settings.ts'
import { withMonitoringSecrets } from '../../../../shared/settings/monitoring-secrets.ts'
import { settingsSchema } from '../../../../shared/settings/settings.ts'
import { settingsChange, settingsDigests } from '../../../../shared/settings/settings-change.ts'
import { needs, posix } from '../../../support/needs.ts'

const NOW = new Date('2026-03-12T07:42:00Z')
const SECRET = 'planted-7f1c6f3e5a0b'
const secrets = {
  token: `token-${SECRET}`,
  heartbeat_url: `https://hc.example.com/ping/${SECRET}`,
  alert_url: `https://hooks.example.com/services/${SECRET}`,
}
const monitoring = {
  metrics: { address: '127.0.0.1', port: 9464, token: secrets.token },
  heartbeat_url: secrets.heartbeat_url,
  alert_url: secrets.alert_url,
}
const settingsWithSecrets = { service: { base_url: 'https://api.example.com' }, monitoring }

let folder: string
let managed: ManagedSettings | null
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sluice-monitoring-'))
  managed = null
  isLocked = false
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const pathOf = (name: string) => path.join(folder, name)
const openStore = () => {
  const store = new SettingsStore(folder, {
    refusal: () => null,
    managed: () => ({ file: '/etc/sluice/settings.json', managed, problem: null }),
    now: () => NOW,
  })
  store.load()
  return store
}
const reverseText = (text: string) => [...text].reverse().join('')
let isLocked = false
const openSecretStore = (protects = true) => {
  const secretStore = new MonitoringSecretStore({
    folder,
    keychain: {
      isEncryptionAvailable: () => true,
      encryptString: (text) => Buffer.from(reverseText(text)),
      decryptString: (bytes) => {
        if (isLocked) throw new Error('the keychain is locked')
        return reverseText(bytes.toString())
      },
      setUsePlainTextEncryption: () => {},
    },
    storage: { describe: () => ({ available: true, backend: 'test', protects, addressesWithKey: [] }) },
    log: () => {},
  })
  secretStore.load()
  return secretStore
}
const readSettingsFiles = () =>
  ['settings.json', 'settings.last-good.json'].map((name) => readFileSync(pathOf(name), 'utf8')).join('')

describe('the token and URLs of monitoring', () => {
  beforeEach(() => writeFileSync(pathOf('settings.json'), JSON.stringify(settingsWithSecrets)))

  test('move from the settings file to the keychain, and do not reach the page', () => {
    const store = openStore()
    expect(JSON.stringify(store.state)).not.toContain(SECRET)
    expect(store.state.settings.monitoring.metrics).toEqual({ address: '127.0.0.1', port: 9464 })
    const secretStore = openSecretStore()
    secretStore.adopt(store)
    expect(readSettingsFiles()).not.toContain(SECRET)
    expect(readFileSync(pathOf('monitoring.bin'), 'utf8')).not.toContain(SECRET)
    expect(openSecretStore().secrets).toEqual(secrets)
    const activeSecrets = { ...openSecretStore().secrets, ...store.monitoring }
    const complete = settingsSchema.parse(store.state.settings)
    expect(withMonitoringSecrets(complete, activeSecrets).monitoring).toMatchObject(monitoring)
  })

  test('stay in the file if there is no keychain, even after the window saves a different setting', () => {
    const store = openStore()
    openSecretStore(false).adopt(store)
    store.save({ ...store.state.settings, transfer: { parallel_parts: 2 } })
    expect(readSettingsFiles()).toContain(SECRET)
    expect(openStore().monitoring).toEqual(secrets)
    expect(() => openSecretStore(false).save({ token: secrets.token }, false)).toThrow(
      'This PC has no keychain',
    )
  })

  test('are replaced by a value from the window, and are gone after their removal', () => {
    const store = openStore()
    const secretStore = openSecretStore()
    let changes = 0
    const calls = monitoringCalls({
      store,
      monitoring: secretStore,
      settingsChanged: () => {
        changes += 1
      },
    })
    calls.saveMonitoringSecret({
      which: 'alert_url',
      value: 'https://other.example.com/',
      acceptUnprotected: false,
    })
    expect({ ...secretStore.secrets, ...store.monitoring }).toEqual({
      ...secrets,
      alert_url: 'https://other.example.com/',
    })
    for (const which of ['token', 'heartbeat_url', 'alert_url'] as const)
      calls.forgetMonitoringSecret({ which })
    expect(readSettingsFiles()).not.toContain(SECRET)
    expect(existsSync(pathOf('monitoring.bin'))).toBe(false)
    expect(changes).toBe(4)
  })

  test('are also removed from damaged copies of the settings file, and everything else stays there', () => {
    writeFileSync(pathOf('settings.json'), `${JSON.stringify(settingsWithSecrets, null, 2)},`)
    const store = openStore()
    const calls = monitoringCalls({ store, monitoring: openSecretStore(), settingsChanged: () => {} })
    calls.forgetMonitoringSecret({ which: 'alert_url' })
    const readDamagedCopies = () =>
      readdirSync(folder)
        .filter((name) => name.startsWith('settings.damaged-'))
        .map((name) => readFileSync(pathOf(name), 'utf8'))
        .join()
    expect(readDamagedCopies()).not.toContain(secrets.alert_url)
    expect(readDamagedCopies()).toContain(secrets.heartbeat_url)
    for (const which of ['token', 'heartbeat_url'] as const) calls.forgetMonitoringSecret({ which })
    expect(readDamagedCopies()).not.toContain(SECRET)
    expect(readDamagedCopies()).toContain('https://api.example.com')
  })

  test('are also removed from a damaged settings file that cannot be renamed, and everything else stays there', () => {
    writeFileSync(pathOf('settings.json'), JSON.stringify(settingsWithSecrets))
    openStore()
    writeFileSync(pathOf('settings.json'), `${JSON.stringify(settingsWithSecrets, null, 2)}, "mine"`)
    mkdirSync(pathOf('settings.damaged-2026-03-12T07-42-00-000Z.json/in-the-way'), { recursive: true })
    const calls = monitoringCalls({
      store: openStore(),
      monitoring: openSecretStore(),
      settingsChanged: () => {},
    })
    for (const which of ['token', 'heartbeat_url', 'alert_url'] as const)
      calls.forgetMonitoringSecret({ which })
    expect(readSettingsFiles()).not.toContain(SECRET)
    expect(readFileSync(pathOf('settings.json'), 'utf8')).toContain('"mine"')
  })

  test('are overridden by managed values, and the page gets only the names of the locked settings', () => {
    managed = { monitoring: { alert_url: 'https://admin.example.com/managed-secret' } }
    const store = openStore()
    expect(store.monitoring.alert_url).toBe('https://admin.example.com/managed-secret')
    expect(store.state.managed?.locked).toEqual(['monitoring.alert_url'])
    expect(JSON.stringify(store.state)).not.toContain('managed-secret')
  })
})

describe('while the keychain is locked', () => {
  const settings = settingsSchema.parse({
    service: { base_url: 'https://api.example.com' },
    monitoring: { metrics: { port: 9464 } },
  })
  beforeEach(() => {
    openSecretStore().save({ token: secrets.token, alert_url: secrets.alert_url }, false)
    isLocked = true
  })

  test('metrics need a token from a settings file, because a stored token cannot be read', () => {
    expect(openSecretStore().mergeInto(settings, {}).monitoring.metrics).toBeUndefined()
    // The window reports this state.
    expect(openSecretStore().isLocked).toBe(true)
    const fileSecrets = { token: 'another-token-of-a-file' }
    expect(openSecretStore().mergeInto(settings, fileSecrets).monitoring.metrics).toMatchObject(fileSecrets)
    isLocked = false
    expect(openSecretStore().mergeInto(settings, {}).monitoring).toMatchObject({
      metrics: { token: secrets.token },
      alert_url: secrets.alert_url,
    })
  })

  test('storing a value after unlocking keeps the values that were stored before', () => {
    const secretStore = openSecretStore()
    isLocked = false
    secretStore.save({ heartbeat_url: secrets.heartbeat_url }, false)
    expect(openSecretStore().secrets).toEqual(secrets)
  })
})

test('an import of a settings file skips the secrets of monitoring, and reports this', () => {
  const preview = previewSettingsFile('s.json', Buffer.from(JSON.stringify(settingsWithSecrets)), linuxPaths)
  expect(preview).toMatchObject({ kind: 'readable', holdsMonitoringSecrets: true })
  expect(JSON.stringify(preview)).not.toContain(SECRET)
})

test('the journal stores only whether each monitoring secret is set, and no digest of its value', () => {
  const digestsOf = (part: object) =>
    settingsDigests(settingsSchema.parse({ ...settingsWithSecrets, monitoring: part }), (text) => text)
  expect(JSON.stringify(digestsOf(monitoring))).not.toContain(SECRET)
  expect(settingsChange(digestsOf({}), digestsOf(monitoring))?.fields).toEqual([
    'monitoring.metrics',
    'monitoring.token',
    'monitoring.heartbeat_url',
    'monitoring.alert_url',
  ])
})

test('logs and reports redact the value after a setting name such as `alert_url`', () => {
  expect(redactJson(settingsWithSecrets)).not.toContain(SECRET)
  expect(redact(`alert_url: ${secrets.alert_url}`)).not.toContain(SECRET)
})

test(
  'the headless agent refuses a settings file with monitoring secrets if others can read the file',
  needs(posix),
  () => {
    writeFileSync(pathOf('open.json'), JSON.stringify(settingsWithSecrets), { mode: 0o644 })
    expect(() => readOwnSettings(pathOf('open.json'), linuxPaths)).toThrow('chmod 600')
    writeFileSync(pathOf('closed.json'), JSON.stringify(settingsWithSecrets), { mode: 0o600 })
    expect(readOwnSettings(pathOf('closed.json'), linuxPaths).settings.monitoring.alert_url).toBe(
      secrets.alert_url,
    )
  },
)

test.each([
  [{ metrics: { port: 70_000 } }, 'metrics.port'],
  [{ metrics: { address: 'lab.example.com', port: 1 } }, 'metrics.address'],
  [{ metrics: { port: 1, token: 'short' } }, 'metrics.token'],
  [{ metrics: { port: 1, token: 'with blanks in the middle' } }, 'metrics.token'],
  [{ heartbeat_url: 'http://hc.example.com/x' }, 'heartbeat_url'],
  [{ heartbeat_seconds: 0 }, 'heartbeat_seconds'],
  [{ alert_url: 'https://user:pw@hooks.example.com/' }, 'alert_url'],
  [{ alert_url: 'ftp://hooks.example.com/' }, 'alert_url'],
])('the monitoring settings %j are refused because of the field %s', (monitoringSettings, field) => {
  const parsed = settingsSchema.safeParse({ ...settingsWithSecrets, monitoring: monitoringSettings })
  expect(parsed.error?.issues.map(({ path: where }) => where.join('.'))).toEqual([`monitoring.${field}`])
})
