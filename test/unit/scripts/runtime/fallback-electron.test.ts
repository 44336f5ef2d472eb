import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { remoteServiceOfApp } from '../../../../scripts/runtime/fallback-electron.mjs'

let home: string
beforeEach(() => {
  home = mkdtempSync(path.join(os.tmpdir(), 'sluice-fallback-'))
})
afterEach(() => rmSync(home, { recursive: true }))

const save = (folder: string, content: unknown, name = 'settings.json') => {
  mkdirSync(path.join(home, folder), { recursive: true })
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  writeFileSync(path.join(home, folder, name), text)
}
const settingsFor = (address: string) => ({ service: { base_url: address } })
const remoteSettings = settingsFor('https://api.example.com')
const localSettings = settingsFor('http://127.0.0.1:4000')

const findRemoteService = (args: readonly string[], env: NodeJS.ProcessEnv = {}, platform = 'linux') =>
  remoteServiceOfApp(args, { env, cwd: home, home, platform })

test.each(['http://127.0.0.1:4000', 'https://localhost', 'http://[::1]:1', 'http://LOCALHOST:80'])(
  'accepts a service on this PC: %s',
  (address) => {
    save('data', settingsFor(address))
    expect(findRemoteService(['--data', 'data'])).toBeNull()
  },
)

test.each([
  'https://api.example.com',
  'https://127.0.0.1.example.com',
  'https://10.0.0.1',
  ' https://api.example.com ',
])('detects a service outside this PC: %s', (address) => {
  save('data', settingsFor(address))
  expect(findRemoteService(['--data', 'data'])).toBe(new URL(address.trim()).origin)
})

test('reads the settings in the data folder of the app, for every form of the option that names this folder', () => {
  save('data', remoteSettings)
  save('.config/sluice', localSettings)
  for (const args of [['--data', 'data'], ['--data=data'], ['--hidden', '--data', path.join(home, 'data')]])
    expect(findRemoteService(args), args.join(' ')).toBe('https://api.example.com')
  expect(findRemoteService([])).toBeNull()
  expect(findRemoteService(['--user-data-dir=data'])).toBe('https://api.example.com')
})

test.each([
  ['linux', {}, '.config/sluice'],
  ['linux', { XDG_CONFIG_HOME: 'xdg' }, 'xdg/sluice'],
  ['darwin', {}, 'Library/Application Support/sluice'],
  ['win32', { APPDATA: 'roaming' }, 'roaming/sluice'],
] as const)(
  'reads the settings in the system’s folder if no folder is given (%s, %o)',
  (platform, env, folder) => {
    save(folder, remoteSettings)
    const absolute = Object.fromEntries(Object.entries(env).map(([name, at]) => [name, path.join(home, at)]))
    expect(findRemoteService([], absolute, platform)).toBe('https://api.example.com')
  },
)

test('also reads the last good settings, and ignores settings that cannot be read', () => {
  save('data', 'nonsense')
  expect(findRemoteService(['--data', 'data'])).toBeNull()
  save('data', remoteSettings, 'settings.last-good.json')
  expect(findRemoteService(['--data', 'data'])).toBe('https://api.example.com')
  for (const oddContent of [
    '',
    'null',
    '[]',
    '{"service":null}',
    '{"service":{"base_url":7}}',
    '{"service":{}}',
  ]) {
    save('odd', oddContent)
    expect(findRemoteService(['--data', 'odd']), oddContent).toBeNull()
  }
  expect(findRemoteService(['--data', 'nowhere'])).toBeNull()
  expect(findRemoteService(['--data'])).toBeNull()
})

test('detects a remote service even in settings with a byte order mark', () => {
  save('data', `\uFEFF${JSON.stringify(remoteSettings)}`)
  expect(findRemoteService(['--data', 'data'])).toBe('https://api.example.com')
})
