import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { refusalOf } from '../../../../main/station-store/fallback-electron.ts'
import { SettingsStore } from '../../../../main/station-store/settings-store.ts'
import { linuxPaths } from '../../../../shared/paths/paths.ts'

const validSettings = {
  service: { base_url: 'https://api.example.com' },
  folders: [{ path: '/rec', site: 'Hall 3' }],
}

describe('the settings file', () => {
  let folder: string
  const pathOf = (name: string) => path.join(folder, name)
  const openStore = (refusal: (address: string | undefined) => string | null = () => null) => {
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
    expect(openStore().state).toMatchObject({ problem: null, settings: { folders: [] } })
  })

  it('can be read after it was saved', () => {
    expect(openStore().save(validSettings)).toEqual({ ok: true })
    expect(openStore().state.settings.folders[0]).toMatchObject({ path: '/rec', site: 'Hall 3' })
  })

  it.each([
    ['cut off in the middle', '{"service": {"base_ur'],
    ['empty', ''],
    ['with a misspelt key', JSON.stringify({ ...validSettings, foldres: [] })],
    ['with a wrong value', JSON.stringify({ ...validSettings, service: { base_url: 'ftp://x' } })],
  ])('%s is kept under another name, and the app uses the last valid settings', (_, damagedText) => {
    openStore().save(validSettings)
    writeFileSync(pathOf('settings.json'), damagedText)
    const { state } = openStore()
    expect(state.settings.service?.base_url).toBe('https://api.example.com')
    expect(state.problem).toContain('settings.damaged-2026-03-12T07-42-00-000Z.json')
    expect(state.problem).toContain('last good settings')
    expect(readFileSync(pathOf('settings.damaged-2026-03-12T07-42-00-000Z.json'), 'utf8')).toBe(damagedText)
    expect(openStore().state).toMatchObject({ problem: null, settings: { folders: [{ path: '/rec' }] } })
  })

  it('never shows the password of the proxy to the page, and keeps this password when a window saves', () => {
    const proxy = 'http://tech:secret@proxy.lab:3128'
    writeFileSync(
      pathOf('settings.json'),
      JSON.stringify({ ...validSettings, service: { ...validSettings.service, proxy } }),
    )
    const store = openStore()
    const { settings } = store.state
    expect(settings.service?.proxy).toBe('http://proxy.lab:3128/')
    expect(store.active.service?.proxy).toBe(proxy)
    expect(JSON.stringify(store.preview(settings))).not.toContain('secret')
    expect(store.save({ ...settings, transfer: { ...settings.transfer, parallel_parts: 3 } })).toEqual({
      ok: true,
    })
    expect(openStore().active).toMatchObject({ service: { proxy }, transfer: { parallel_parts: 3 } })
    // A different proxy does not get the password of the previous proxy.
    const other = 'http://other.lab:3128'
    expect(store.save({ ...settings, service: { ...settings.service, proxy: other } })).toEqual({ ok: true })
    expect(openStore().active.service?.proxy).toBe(other)
  })

  it('with an API key inside a field name is reported without the API key', () => {
    const withKey = {
      ...validSettings,
      service: { ...validSettings.service, 'api_key: svc_live_0123456789abcdef': '' },
    }
    writeFileSync(pathOf('settings.json'), JSON.stringify(withKey))
    const { problem } = openStore().state
    expect(problem).toContain('api_key')
    expect(problem).not.toContain('0123456789')
  })

  it('contains no API key after its removal, even if a field appears twice', () => {
    const text = JSON.stringify(validSettings).replace(
      '{',
      '{"service":{"api_key":"svc_live_0123456789abcdef"},',
    )
    writeFileSync(pathOf('settings.json'), text)
    const store = openStore()
    expect(store.state).toMatchObject({ problem: null, settings: validSettings })
    store.removeKey()
    expect(readFileSync(pathOf('settings.json'), 'utf8')).not.toContain('0123456789')
    expect(openStore().state).toMatchObject({ problem: null, settings: validSettings })
  })

  it('lets the app start even if it is damaged and there is no earlier copy', () => {
    writeFileSync(pathOf('settings.json'), 'nonsense')
    const { state } = openStore()
    expect(state.settings.service).toBeUndefined()
    expect(state.problem).toContain('no earlier copy')
  })

  it('that was deleted is restored from the last good copy', () => {
    openStore().save(validSettings)
    rmSync(pathOf('settings.json'))
    expect(openStore().state.settings.folders).toHaveLength(1)
  })

  it('with wrong fields is not saved, and each field is named', () => {
    const store = openStore()
    store.save(validSettings)
    const result = store.save({ ...validSettings, folders: [{ path: '/rec', site: '' }] })
    expect(result).toMatchObject({ ok: false, issues: [{ path: 'folders.0.site' }] })
    expect(store.state.settings.folders[0]?.site).toBe('Hall 3')
  })

  // A folder in place of the temporary file blocks the write, like a full disk, even for an administrator.
  const blockWrite = (name: string) => mkdirSync(pathOf(`${name}.new`))

  it('that cannot be written is reported with the reason', () => {
    const store = openStore()
    store.save(validSettings)
    blockWrite('settings.json')
    const changed = { ...validSettings, folders: [{ path: '/rec', site: 'Hall 4' }] }
    expect(() => store.save(changed)).toThrow(/^The settings could not be saved to .*settings\.json\. ./)
    expect(store.state.settings.folders[0]?.site).toBe('Hall 3')
    expect(openStore().state.settings.folders[0]?.site).toBe('Hall 3')
  })

  it('does not prevent the start of the app if nothing can be written', () => {
    openStore().save(validSettings)
    blockWrite('settings.last-good.json')
    expect(openStore().state).toMatchObject({ problem: null, settings: { folders: [{ site: 'Hall 3' }] } })
    blockWrite('settings.json')
    rmSync(pathOf('settings.json'))
    expect(openStore().state.settings.folders[0]?.site).toBe('Hall 3')
  })

  it('that is damaged and cannot be renamed stays unchanged', () => {
    openStore().save(validSettings)
    writeFileSync(pathOf('settings.json'), 'nonsense')
    mkdirSync(pathOf('settings.damaged-2026-03-12T07-42-00-000Z.json/in-the-way'), { recursive: true })
    const { state } = openStore()
    expect(state.settings.folders[0]?.site).toBe('Hall 3')
    expect(state.problem).toContain('last good settings')
    expect(state.problem).not.toContain('kept as')
    expect(readFileSync(pathOf('settings.json'), 'utf8')).toBe('nonsense')
  })

  it('leaves no half-written file behind', () => {
    openStore().save(validSettings)
    expect(readdirSync(folder).sort()).toEqual(['settings.json', 'settings.last-good.json'])
  })

  it('never shows its key to the page, and drops the key once the keychain has it', () => {
    const withKey = { ...validSettings, service: { ...validSettings.service, api_key: 'svc_live_typed' } }
    writeFileSync(pathOf('settings.json'), JSON.stringify(withKey))
    const store = openStore()
    expect(JSON.stringify(store.state)).not.toContain('svc_live_typed')
    expect(store.keyInFile).toEqual({ address: 'https://api.example.com', key: 'svc_live_typed' })
    store.removeKey()
    expect(readFileSync(pathOf('settings.json'), 'utf8')).not.toContain('svc_live_typed')
    expect(readFileSync(pathOf('settings.last-good.json'), 'utf8')).not.toContain('svc_live_typed')
  })

  it('loses its key if the address changes', () => {
    const withKey = { ...validSettings, service: { ...validSettings.service, api_key: 'svc_live_typed' } }
    writeFileSync(pathOf('settings.json'), JSON.stringify(withKey))
    const store = openStore()
    store.save({ ...validSettings, folders: [] })
    expect(openStore().keyInFile?.key).toBe('svc_live_typed')
    store.save({ ...validSettings, service: { base_url: 'http://127.0.0.1:9999' } })
    expect(store.keyInFile).toBeNull()
    expect(openStore().keyInFile).toBeNull()
  })

  it('has no key in any copy after the key is removed, not even after a restart', () => {
    const withKey = {
      ...validSettings,
      service: { ...validSettings.service, api_key: 'odd "key" \\\\ here' },
    }
    const text = JSON.stringify(withKey)
    const oddKey = 'odd"key"\\\\here'
    writeFileSync(pathOf('settings.damaged-1.json'), text.slice(0, text.indexOf('here') + 2))
    writeFileSync(pathOf('settings.damaged-2.json'), `{"service": {'api_key': 'other-key', }}`)
    writeFileSync(
      pathOf('settings.damaged-3.json'),
      `{"key": "svc_live_misplaced", "notes": ${JSON.stringify(oddKey)}}`,
    )
    writeFileSync(pathOf('settings.damaged-4.json'), Buffer.from(text, 'utf16le'))
    writeFileSync(pathOf('settings.json.new'), text)
    writeFileSync(pathOf('settings.damaged-5.json'), '{"folders": [nothing of a key]')
    writeFileSync(pathOf('settings.json'), text)
    const store = openStore()
    expect(store.keyInFile?.key).toBe(oddKey)
    store.removeKey()
    for (const name of readdirSync(folder)) {
      const content = readFileSync(pathOf(name)).toString('latin1').replaceAll('\0', '')
      for (const part of ['odd', 'other-key', 'svc_live', 'misplaced'])
        expect(content, name).not.toContain(part)
    }
    expect(readFileSync(pathOf('settings.damaged-5.json'), 'utf8')).toBe('{"folders": [nothing of a key]')
    expect(openStore().keyInFile).toBeNull()
    rmSync(pathOf('settings.json'))
    expect(openStore()).toMatchObject({
      keyInFile: null,
      state: { settings: { folders: [{ path: '/rec' }] } },
    })
  })

  it('accepts no new address outside this PC on the fallback Electron, and reports one that is already stored', () => {
    const refusal = refusalOf('1')
    const store = openStore(refusal)
    expect(store.save(validSettings)).toEqual({
      ok: false,
      issues: [{ path: 'service.base_url', message: expect.stringContaining('fallback Electron') }],
    })
    expect(readdirSync(folder)).toEqual([])
    const localSettings = { ...validSettings, service: { base_url: 'http://127.0.0.1:9' } }
    expect(store.save(localSettings)).toEqual({ ok: true })
    expect(store.state.problem).toBeNull()

    openStore(refusalOf('allowed')).save(validSettings)
    const reopened = openStore(refusal)
    expect(reopened.state.problem).toContain('fallback Electron')
    expect(reopened.save({ ...validSettings, folders: [] })).toEqual({ ok: true })
    expect(reopened.save({ ...validSettings, service: { base_url: 'https://other.example.com' } }).ok).toBe(
      false,
    )
  })
})
