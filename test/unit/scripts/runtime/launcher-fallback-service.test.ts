import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { remoteServiceOfApp } from '../../../../scripts/runtime/fallback-service.mjs'

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
const named = (address: string) => ({ service: { base_url: address } })
const far = named('https://api.example.com')
const near = named('http://127.0.0.1:4000')

const found = (args: readonly string[], env: NodeJS.ProcessEnv = {}, platform = 'linux') =>
  remoteServiceOfApp(args, { env, cwd: home, home, platform })

test.each(['http://127.0.0.1:4000', 'https://localhost', 'http://[::1]:1', 'http://LOCALHOST:80'])(
  'accepts a service on this PC: %s',
  (address) => {
    save('data', named(address))
    expect(found(['--data', 'data'])).toBeNull()
  },
)

test.each([
  'https://api.example.com',
  'https://127.0.0.1.example.com',
  'https://10.0.0.1',
  ' https://api.example.com ',
])('detects a service outside this PC: %s', (address) => {
  save('data', named(address))
  expect(found(['--data', 'data'])).toBe(new URL(address.trim()).origin)
})

test('uses the same data folder as the app, however it is given', () => {
  save('data', far)
  save('.config/sluice', near)
  for (const args of [['--data', 'data'], ['--data=data'], ['--hidden', '--data', path.join(home, 'data')]])
    expect(found(args), args.join(' ')).toBe('https://api.example.com')
  expect(found([])).toBeNull()
  expect(found(['--user-data-dir=data'])).toBe('https://api.example.com')
})

test.each([
  ['linux', {}, '.config/sluice'],
  ['linux', { XDG_CONFIG_HOME: 'xdg' }, 'xdg/sluice'],
  ['darwin', {}, 'Library/Application Support/sluice'],
  ['win32', { APPDATA: 'roaming' }, 'roaming/sluice'],
] as const)('uses the system’s folder if none is given (%s, %o)', (platform, env, folder) => {
  save(folder, far)
  const absolute = Object.fromEntries(Object.entries(env).map(([name, at]) => [name, path.join(home, at)]))
  expect(found([], absolute, platform)).toBe('https://api.example.com')
})

test('considers settings that the app falls back to, but not settings that it cannot read', () => {
  save('data', 'nonsense')
  expect(found(['--data', 'data'])).toBeNull()
  save('data', far, 'settings.last-good.json')
  expect(found(['--data', 'data'])).toBe('https://api.example.com')
  for (const odd of ['', 'null', '[]', '{"service":null}', '{"service":{"base_url":7}}', '{"service":{}}']) {
    save('odd', odd)
    expect(found(['--data', 'odd']), odd).toBeNull()
  }
  expect(found(['--data', 'nowhere'])).toBeNull()
  expect(found(['--data'])).toBeNull()
})

test('a byte order mark before the settings hides nothing', () => {
  save('data', `\uFEFF${JSON.stringify(far)}`)
  expect(found(['--data', 'data'])).toBe('https://api.example.com')
})
