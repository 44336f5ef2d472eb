import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type ManagedSource, SettingsStore } from '../../../../main/station-store/settings-store.ts'
import { linuxPaths } from '../../../../shared/paths/paths.ts'
import { type ManagedSettings, managedSettingsSchema } from '../../../../shared/settings/managed-settings.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sluice-store-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const settingsFile = () => path.join(folder, 'settings.json')
const readStored = () => JSON.parse(readFileSync(settingsFile(), 'utf8'))
const openStore = (own: object, managed: object | null = null) => {
  writeFileSync(settingsFile(), JSON.stringify(own))
  let source: ManagedSource = { file: '/etc/m.json', managed: null, problem: null }
  const setManaged = (value: object | null, problem: string | null = null) => {
    const parsed: ManagedSettings | null = value === null ? null : managedSettingsSchema.parse(value)
    source = { ...source, managed: parsed, problem }
  }
  setManaged(managed)
  const store = new SettingsStore(folder, { refusal: () => null, managed: () => source, paths: linuxPaths })
  store.load()
  return { store, setManaged }
}

const service = { base_url: 'https://a.example.com' }

describe('managed settings', () => {
  it('override the station’s own settings until the management ends', () => {
    const { store, setManaged } = openStore(
      { transfer: { parallel_parts: 7 } },
      { service, transfer: { parallel_parts: 2 } },
    )
    expect(store.state.settings.transfer.parallel_parts).toBe(2)
    expect(store.state.settings.service?.base_url).toBe(service.base_url)
    expect(store.state.managed).toEqual({
      file: '/etc/m.json',
      locked: ['service', 'transfer.parallel_parts'],
      problem: null,
    })
    setManaged(null)
    expect(store.state.settings.transfer.parallel_parts).toBe(7)
    expect(store.state).not.toHaveProperty('managed')
  })

  it('are never written into the station’s own file', () => {
    const managed = { service, folders: [{ path: '/theirs', site: 's' }], app: { theme: 'dark' } }
    const { store } = openStore({ folders: [{ path: '/mine', site: 'lab' }] }, managed)
    const { settings } = store.state
    const nextSettings = {
      ...settings,
      service: { ...settings.service!, proxy: 'none' as const },
      folders: [],
      app: { ...settings.app, theme: 'light' as const, station_name: 'mine' },
    }
    expect(store.save(nextSettings)).toEqual({ ok: true })
    expect(readStored()).toMatchObject({
      folders: [{ path: '/mine', site: 'lab' }],
      app: { theme: 'system', station_name: 'mine' },
    })
    expect(readStored()).not.toHaveProperty('service')
    expect(store.state.settings.app).toMatchObject({ theme: 'dark', station_name: 'mine' })
  })

  it('never show a key to the page', () => {
    const { store } = openStore({}, { service: { ...service, api_key: 'svc_live_secret' } })
    expect(JSON.stringify(store.state)).not.toContain('secret')
  })

  it('show why their file cannot be used, even if it was never valid', () => {
    const { store, setManaged } = openStore({})
    setManaged(null, 'line 3')
    expect(store.state.managed).toEqual({ file: '/etc/m.json', locked: [], problem: 'line 3' })
  })
})

describe('saved settings', () => {
  it('keep the key file if the address stays, and drop it for a different address', () => {
    const { store } = openStore({ service: { ...service, api_key_file: '/key' } })
    const { settings } = store.state
    // The window has no field for the key file, so its settings do not contain it.
    const save = (base_url: string) => store.save({ ...settings, service: { base_url } })
    expect(save(service.base_url)).toEqual({ ok: true })
    expect(readStored().service.api_key_file).toBe('/key')
    expect(save('https://typed.example.com')).toEqual({ ok: true })
    expect(readStored().service).not.toHaveProperty('api_key_file')
  })

  it('are refused for an unknown placeholder or overlapping hours; the issue names the field', () => {
    const { store } = openStore({ service })
    const { settings } = store.state
    const folder = (site: string) => ({ path: '/r', site })
    expect(store.save({ ...settings, folders: [folder('{host}')] })).toMatchObject({
      issues: [{ path: 'folders.0.site' }],
    })
    expect(store.save({ ...settings, folders: [folder('{hostname}')] })).toEqual({ ok: true })
    const windows = [
      { from: '01:00', to: '03:00' },
      { from: '02:00', to: '04:00' },
    ]
    expect(store.save({ ...settings, transfer: { windows } })).toMatchObject({
      issues: [{ path: 'transfer.windows.1' }],
    })
  })

  it('may still contain faults that an earlier version accepted', () => {
    const oldSettings = { service, folders: [{ path: '/r', site: 'lab {A}' }] }
    const { store } = openStore(oldSettings)
    expect(store.state).toMatchObject({ problem: null, settings: { folders: [{ site: 'lab {A}' }] } })
    const { settings } = store.state
    expect(store.save({ ...settings, follow: { poll_seconds: 9 } })).toEqual({ ok: true })
  })
})
