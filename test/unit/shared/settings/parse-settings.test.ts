import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SettingsStore } from '../../../../main/station-store/settings-store.ts'
import { linuxPaths } from '../../../../shared/paths/paths.ts'
import { readSettings } from '../../../support/read-settings.ts'

const site = 'Halle Süd 三 😀'
const settings = { service: { base_url: 'https://api.example.com' }, folders: [{ path: '/rec', site }] }
const text = `${JSON.stringify(settings, null, 2)}\n`.replaceAll('\n', '\r\n')

const utf16be = (content: string) => Buffer.from(content, 'utf16le').swap16()
const encodings: readonly [string, Buffer][] = [
  ['UTF-8', Buffer.from(text)],
  ['UTF-8 with a BOM', Buffer.from(`\uFEFF${text}`)],
  ['UTF-16 LE with a BOM', Buffer.from(`\uFEFF${text}`, 'utf16le')],
  ['UTF-16 LE', Buffer.from(text, 'utf16le')],
  ['UTF-16 BE with a BOM', utf16be(`\uFEFF${text}`)],
  ['UTF-16 BE', utf16be(text)],
]

const readUtf8 = (file: string) => new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file))
const readUtf8Json = (file: string): unknown => JSON.parse(readUtf8(file))

const invalidFiles: readonly [string, Buffer, string][] = [
  ['Latin-1', Buffer.from('{\n  "site": "S\xfcd"\n}', 'latin1'), 'UTF-8 text: see line 2, column 13'],
  [
    'UTF-8 cut inside a character',
    Buffer.from('{"a": "ü').subarray(0, 8),
    'UTF-8 text: see line 1, column 8',
  ],
  [
    'UTF-16 with a lone surrogate',
    Buffer.from('\uFEFF{"a":\n"\ud83d"}', 'utf16le'),
    'UTF-16 text: see line 2, column 2',
  ],
  [
    'UTF-16 with an odd number of bytes',
    utf16be('\uFEFF{"a"}').subarray(0, -1),
    'UTF-16 text: see line 1, column 5',
  ],
]

describe('a settings file', () => {
  let folder: string
  const pathOf = (name: string) => path.join(folder, name)
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'sluice-settings-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const load = () => {
    const store = new SettingsStore(folder, { refusal: () => null, paths: linuxPaths })
    store.load()
    return store
  }

  it.each(encodings)('in %s is read by the agent and by the app, and written as UTF-8', (_, bytes) => {
    writeFileSync(pathOf('settings.json'), bytes)
    expect(readSettings(pathOf('settings.json'), {}, linuxPaths).settings.folders[0]?.site).toBe(site)
    const store = load()
    expect(store.state).toMatchObject({ problem: null, settings: { folders: [{ site }] } })
    store.save(store.state.settings)
    for (const name of ['settings.json', 'settings.last-good.json'])
      expect(readUtf8Json(pathOf(name))).toMatchObject({ folders: [{ site }] })
  })

  it.each(encodings)('is restored from its last good copy in %s', (_, bytes) => {
    writeFileSync(pathOf('settings.last-good.json'), bytes)
    expect(load().state).toMatchObject({ settings: { folders: [{ site }] } })
    expect(readUtf8Json(pathOf('settings.json'))).toMatchObject({ folders: [{ site }] })
  })

  it.each(invalidFiles)(
    'in %s is refused with line and column, by the agent and by the app',
    (_, bytes, place) => {
      writeFileSync(pathOf('settings.json'), bytes)
      expect(() => readSettings(pathOf('settings.json'), {}, linuxPaths)).toThrow(
        `${pathOf('settings.json')} is not valid ${place}. Save it as UTF-8.`,
      )
      expect(load().state.problem).toContain(`could not be used: it is not valid ${place}. Save it as UTF-8.`)
    },
  )

  it('in UTF-16, or damaged, keeps its other settings when Sluice removes the API key', () => {
    const withKey = { ...settings, service: { ...settings.service, api_key: 'svc_test_0123456789abcdef' } }
    const bytes = Buffer.from(`\uFEFF${JSON.stringify(withKey)}`, 'utf16le')
    writeFileSync(pathOf('settings.json'), bytes)
    writeFileSync(pathOf('settings.damaged-then.json'), bytes.subarray(0, -4))
    load().removeKey()
    expect(readUtf8Json(pathOf('settings.json'))).toMatchObject({ folders: [{ site }] })
    for (const name of ['settings.json', 'settings.last-good.json', 'settings.damaged-then.json'])
      expect(readUtf8(pathOf(name))).not.toContain('svc_test')
    expect(readUtf8(pathOf('settings.damaged-then.json'))).toContain(site)
  })
})
