import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { refusalOf } from '../../../../main/station-store/fallback-electron.ts'
import { SettingsStore } from '../../../../main/station-store/settings-store.ts'
import { linuxPaths } from '../../../../shared/paths/paths.ts'

const good = { service: { base_url: 'https://api.example.com' }, folders: [{ path: '/rec', site: 'Hall 3' }] }

describe('the settings file', () => {
  let folder: string
  const file = (name: string) => path.join(folder, name)
  const open = (refusal: (address: string | undefined) => string | null = () => null) => {
    const store = new SettingsStore(folder, {
      refusal,
      paths: linuxPaths,
      now: () => new Date('2026-03-12T07:42:00Z'),
    })
    store.load()
    return store
  }

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'sluice-settings-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('may be missing at the first start', () => {
    expect(open().state).toMatchObject({ damage: null, settings: { folders: [] } })
  })

  it('is read as it was saved', () => {
    expect(open().save(good)).toEqual({ ok: true })
    expect(open().state.settings.folders[0]).toMatchObject({ path: '/rec', site: 'Hall 3' })
  })

  it.each([
    ['cut off in the middle', '{"service": {"base_ur'],
    ['empty', ''],
    ['with a misspelt key', JSON.stringify({ ...good, foldres: [] })],
    ['with a wrong value', JSON.stringify({ ...good, service: { base_url: 'ftp://x' } })],
  ])('%s is renamed unchanged; the app uses the last good one and says so', (_name, damaged) => {
    open().save(good)
    writeFileSync(file('settings.json'), damaged)
    const { state } = open()
    expect(state.settings.service?.base_url).toBe('https://api.example.com')
    expect(state.damage).toContain('settings.damaged-2026-03-12T07-42-00-000Z.json')
    expect(state.damage).toContain('last good settings')
    expect(readFileSync(file('settings.damaged-2026-03-12T07-42-00-000Z.json'), 'utf8')).toBe(damaged)
    expect(open().state).toMatchObject({ damage: null, settings: { folders: [{ path: '/rec' }] } })
  })

  it('shows the proxy without its password, and keeps the password when a window saves', () => {
    const proxy = 'http://tech:secret@proxy.lab:3128'
    writeFileSync(file('settings.json'), JSON.stringify({ ...good, service: { ...good.service, proxy } }))
    const store = open()
    const { settings } = store.state
    expect(settings.service?.proxy).toBe('http://proxy.lab:3128/')
    expect(store.active.service?.proxy).toBe(proxy)
    expect(JSON.stringify(store.preview(settings))).not.toContain('secret')
    expect(store.save({ ...settings, transfer: { ...settings.transfer, parallel_parts: 3 } })).toEqual({
      ok: true,
    })
    expect(open().active).toMatchObject({ service: { proxy }, transfer: { parallel_parts: 3 } })
    // A different proxy does not get the password of this proxy.
    const other = 'http://other.lab:3128'
    expect(store.save({ ...settings, service: { ...settings.service, proxy: other } })).toEqual({ ok: true })
    expect(open().active.service?.proxy).toBe(other)
  })

  it('with a key in place of a field name is reported without the key', () => {
    const typed = { ...good, service: { ...good.service, 'api_key: svc_live_0123456789abcdef': '' } }
    writeFileSync(file('settings.json'), JSON.stringify(typed))
    const { damage } = open().state
    expect(damage).toContain('api_key')
    expect(damage).not.toContain('0123456789')
  })

  it('with a duplicate field keeps no removed key', () => {
    const text = JSON.stringify(good).replace('{', '{"service":{"api_key":"svc_live_0123456789abcdef"},')
    writeFileSync(file('settings.json'), text)
    const store = open()
    expect(store.state).toMatchObject({ damage: null, settings: good })
    store.removeKey()
    expect(readFileSync(file('settings.json'), 'utf8')).not.toContain('0123456789')
    expect(open().state).toMatchObject({ damage: null, settings: good })
  })

  it('that is damaged, without an earlier copy, does not keep the app from starting', () => {
    writeFileSync(file('settings.json'), 'nonsense')
    const { state } = open()
    expect(state.settings.service).toBeUndefined()
    expect(state.damage).toContain('no earlier copy')
  })

  it('that was deleted is restored from the last good copy', () => {
    open().save(good)
    rmSync(file('settings.json'))
    expect(open().state.settings.folders).toHaveLength(1)
  })

  it('with wrong fields is not saved, and each field is named', () => {
    const store = open()
    store.save(good)
    const result = store.save({ ...good, folders: [{ path: '/rec', site: '' }] })
    expect(result).toMatchObject({ ok: false, issues: [{ path: 'folders.0.site' }] })
    expect(store.state.settings.folders[0]?.site).toBe('Hall 3')
  })

  // A folder of this name blocks the write, like a full disk, even for an administrator.
  const blockWrite = (name: string) => mkdirSync(file(`${name}.new`))

  it('that cannot be written is reported with the reason', () => {
    const store = open()
    store.save(good)
    blockWrite('settings.json')
    const changed = { ...good, folders: [{ path: '/rec', site: 'Hall 4' }] }
    expect(() => store.save(changed)).toThrow(/^The settings could not be saved to .*settings\.json\. ./)
    expect(store.state.settings.folders[0]?.site).toBe('Hall 3')
    expect(open().state.settings.folders[0]?.site).toBe('Hall 3')
  })

  it('does not keep the app from starting if nothing can be written', () => {
    open().save(good)
    blockWrite('settings.last-good.json')
    expect(open().state).toMatchObject({ damage: null, settings: { folders: [{ site: 'Hall 3' }] } })
    blockWrite('settings.json')
    rmSync(file('settings.json'))
    expect(open().state.settings.folders[0]?.site).toBe('Hall 3')
  })

  it('that is damaged and cannot be renamed stays unchanged', () => {
    open().save(good)
    writeFileSync(file('settings.json'), 'nonsense')
    mkdirSync(file('settings.damaged-2026-03-12T07-42-00-000Z.json/in-the-way'), { recursive: true })
    const { state } = open()
    expect(state.settings.folders[0]?.site).toBe('Hall 3')
    expect(state.damage).toContain('last good settings')
    expect(state.damage).not.toContain('kept as')
    expect(readFileSync(file('settings.json'), 'utf8')).toBe('nonsense')
  })

  it('leaves no half-written file behind', () => {
    open().save(good)
    expect(readdirSync(folder).sort()).toEqual(['settings.json', 'settings.last-good.json'])
  })

  it('never shows its key to the page, and drops the key once the keychain has it', () => {
    const typed = { ...good, service: { ...good.service, api_key: 'svc_live_typed' } }
    writeFileSync(file('settings.json'), JSON.stringify(typed))
    const store = open()
    expect(JSON.stringify(store.state)).not.toContain('svc_live_typed')
    expect(store.keyInFile).toEqual({ address: 'https://api.example.com', key: 'svc_live_typed' })
    store.removeKey()
    expect(readFileSync(file('settings.json'), 'utf8')).not.toContain('svc_live_typed')
    expect(readFileSync(file('settings.last-good.json'), 'utf8')).not.toContain('svc_live_typed')
  })

  it('never stores the key of one address with a different address', () => {
    const typed = { ...good, service: { ...good.service, api_key: 'svc_live_typed' } }
    writeFileSync(file('settings.json'), JSON.stringify(typed))
    const store = open()
    store.save({ ...good, folders: [] })
    expect(open().keyInFile?.key).toBe('svc_live_typed')
    store.save({ ...good, service: { base_url: 'http://127.0.0.1:9999' } })
    expect(store.keyInFile).toBeNull()
    expect(open().keyInFile).toBeNull()
  })

  it('has no key in any copy after removal, and none comes back at a later start', () => {
    const typed = { ...good, service: { ...good.service, api_key: 'odd "key" \\\\ here' } }
    const text = JSON.stringify(typed)
    const odd = 'odd"key"\\\\here'
    writeFileSync(file('settings.damaged-1.json'), text.slice(0, text.indexOf('here') + 2))
    writeFileSync(file('settings.damaged-2.json'), `{"service": {'api_key': 'other-key', }}`)
    writeFileSync(
      file('settings.damaged-3.json'),
      `{"key": "svc_live_misplaced", "notes": ${JSON.stringify(odd)}}`,
    )
    writeFileSync(file('settings.damaged-4.json'), Buffer.from(text, 'utf16le'))
    writeFileSync(file('settings.json.new'), text)
    writeFileSync(file('settings.damaged-5.json'), '{"folders": [nothing of a key]')
    writeFileSync(file('settings.json'), text)
    const store = open()
    expect(store.keyInFile?.key).toBe(odd)
    store.removeKey()
    for (const name of readdirSync(folder)) {
      const left = readFileSync(file(name)).toString('latin1').replaceAll('\0', '')
      for (const part of ['odd', 'other-key', 'svc_live', 'misplaced']) expect(left, name).not.toContain(part)
    }
    expect(readFileSync(file('settings.damaged-5.json'), 'utf8')).toBe('{"folders": [nothing of a key]')
    expect(open().keyInFile).toBeNull()
    rmSync(file('settings.json'))
    expect(open()).toMatchObject({ keyInFile: null, state: { settings: { folders: [{ path: '/rec' }] } } })
  })

  it('refuses an address that a fallback Electron must not use; reports a stored one, and saves the rest', () => {
    const refusal = refusalOf('1')
    const store = open(refusal)
    expect(store.save(good)).toEqual({
      ok: false,
      issues: [{ path: 'service.base_url', message: expect.stringContaining('fallback Electron') }],
    })
    expect(readdirSync(folder)).toEqual([])
    const near = { ...good, service: { base_url: 'http://127.0.0.1:9' } }
    expect(store.save(near)).toEqual({ ok: true })
    expect(store.state.damage).toBeNull()

    open(refusalOf('allowed')).save(good)
    const there = open(refusal)
    expect(there.state.damage).toContain('fallback Electron')
    expect(there.save({ ...good, folders: [] })).toEqual({ ok: true })
    expect(there.save({ ...good, service: { base_url: 'https://other.example.com' } }).ok).toBe(false)
  })
})
