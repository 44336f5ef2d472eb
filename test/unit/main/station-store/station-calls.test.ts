import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ExternalKey } from '../../../../main/station-store/external-key.ts'
import { MonitoringSecretStore } from '../../../../main/station-store/monitoring-secrets.ts'
import { ownerOnlyKeychain } from '../../../../main/station-store/owner-only-keychain.ts'
import { Secrets } from '../../../../main/station-store/secrets.ts'
import { SettingsStore } from '../../../../main/station-store/settings-store.ts'
import { stationCalls } from '../../../../main/station-store/station-calls.ts'
import { storedAgentKey } from '../../../../main/station-store/stored-agent-key.ts'
import { WebhookSecrets } from '../../../../main/station-store/webhook-secrets.ts'
import { systemClock } from '../../../../shared/clock/clock.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sluice-calls-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const pathOf = (name: string) => path.join(folder, name)
const ADDRESS = 'https://service.example'
const KEY = 'a-key-that-an-agent-kept'

/** The calls of a window whose keychain is a file that only the owner can read. */
const openWindowCalls = (service: object | undefined, environment: Record<string, string> = {}) => {
  if (service !== undefined)
    writeFileSync(pathOf('settings.json'), JSON.stringify({ service }), { mode: 0o600 })
  const log = () => {}
  const storeOptions = { folder, keychain: ownerOnlyKeychain, log }
  const store = new SettingsStore(folder, { refusal: () => null })
  store.load()
  const secrets = new Secrets({ ...storeOptions, platform: 'linux' })
  const webhooks = new WebhookSecrets({ ...storeOptions, storage: secrets })
  const monitoring = new MonitoringSecretStore({ ...storeOptions, storage: secrets })
  const externalKey = new ExternalKey({
    managed: () => undefined,
    own: () => store.own.service,
    environment,
    address: store.state.settings.service?.base_url,
    clock: systemClock,
    log,
  })
  const calls = stationCalls({
    store,
    refusal: () => null,
    secrets,
    webhooks,
    monitoring,
    externalKey,
    dataFolder: folder,
    logFolder: pathOf('logs'),
    callAgent: async () => ({ ok: true, value: { message: `the key is ${KEY}` } }),
    settingsChanged: () => {},
    configure: async () => {},
  })
  return { calls, store }
}

test('a key that is removed in the window is also removed from the headless agent', async () => {
  for (const name of ['agent-key.json', 'agent-key.json.new'])
    writeFileSync(pathOf(name), JSON.stringify({ origin: ADDRESS, key: KEY }))
  const { calls } = openWindowCalls({ base_url: ADDRESS })
  expect(storedAgentKey(folder, ADDRESS)).toBe(KEY)
  await calls.forgetKey(undefined)
  expect(storedAgentKey(folder, ADDRESS)).toBeNull()
  for (const name of ['agent-key.json', 'agent-key.json.new'])
    expect(existsSync(pathOf(name)), name).toBe(false)
})

test('reports from the window do not contain the key of the headless agent', async () => {
  writeFileSync(pathOf('agent-key.json'), JSON.stringify({ origin: ADDRESS, key: KEY }))
  const { calls } = openWindowCalls({ base_url: ADDRESS })
  const facts = { app: {}, agentHealth: {} } as Parameters<typeof calls.makeSupportReport>[0]
  expect(await calls.makeSupportReport(facts)).not.toContain(KEY)
})

test.each([
  ['the environment', { base_url: ADDRESS }, { SLUICE_API_KEY: KEY }],
  ['a file', { base_url: ADDRESS, api_key_file: '/etc/sluice/key' }, {}],
] as const)(
  'if the key comes from %s, the window cannot change the service address or its certificate authority',
  (_, service, environment) => {
    const { calls, store } = openWindowCalls(service, environment)
    const { settings } = store.state
    const { service: _none, ...withoutService } = settings
    const otherAddress = {
      ...settings,
      service: { ...settings.service, base_url: 'https://elsewhere.example' },
    }
    for (const nextSettings of [otherAddress, withoutService])
      expect(calls.saveSettings(nextSettings as typeof settings)).toEqual({
        ok: false,
        issues: [{ path: 'service.base_url', message: expect.stringContaining('only an administrator') }],
      })
    expect(store.state.settings.service?.base_url).toBe(ADDRESS)
    const otherAuthority = { ...settings, service: { ...settings.service, ca_file: '/etc/ssl/other.pem' } }
    expect(calls.saveSettings(otherAuthority as typeof settings)).toEqual({
      ok: false,
      issues: [{ path: 'service.ca_file', message: expect.stringContaining('certificate authority') }],
    })
    const other = { ...settings, transfer: { ...settings.transfer, parallel_parts: 3 } }
    expect(calls.saveSettings(other)).toEqual({ ok: true })
  },
)

test('the first address can be set while the environment has a key', () => {
  const { calls, store } = openWindowCalls(undefined, { SLUICE_API_KEY: KEY })
  const first = { ...store.state.settings, service: { base_url: ADDRESS } }
  expect(calls.saveSettings(first as Parameters<typeof calls.saveSettings>[0])).toEqual({ ok: true })
})
