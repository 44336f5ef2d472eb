import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { electronPath, launcherArgs, makeFolders, root } from './app.ts'

const isInstalled = (program: string) => spawnSync('which', [program]).status === 0
const ready =
  electronPath !== undefined && isInstalled('dbus-run-session') && isInstalled('gnome-keyring-daemon')

const KEY = 'svc_live_kept_in_the_keychain'

/** Stores the key in one process of Electron and reads it back in another, inside one session with a keyring. */
const runInKeyringSession = (dataFolder: string): string => {
  const electron = [
    electronPath,
    path.join(root, 'test/e2e/keychain-app.mjs'),
    ...launcherArgs,
    '--password-store=gnome-libsecret',
    dataFolder,
  ]
  const command = electron.map((part) => `'${part}'`).join(' ')
  const script = `printf test | gnome-keyring-daemon --unlock --components=secrets >/dev/null && ${command} save ${KEY} && ${command} read`
  return execFileSync('dbus-run-session', ['--', 'sh', '-c', script], { encoding: 'utf8', timeout: 240_000 })
}

describe.skipIf(!ready)('the key in a real keychain', () => {
  it('survives a restart, protected by gnome-keyring, and is not in clear on the disk', () => {
    const { data } = makeFolders()
    const lines = runInKeyringSession(data).trim().split('\n')
    expect(JSON.parse(lines.at(-1) ?? '')).toEqual({ backend: 'gnome_libsecret', protects: true, key: KEY })
    expect(readFileSync(path.join(data, 'key.bin')).includes(KEY)).toBe(false)
  })
})
