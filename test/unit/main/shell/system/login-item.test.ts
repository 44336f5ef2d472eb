import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { LoginItemSettings, LoginItemSettingsOptions, Settings } from 'electron'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { APP_ID, appUserModelId } from '../../../../../main/shell/system/app-id.ts'
import { setStartAtLogin, wasOpenedAtLogin } from '../../../../../main/shell/system/login-item.ts'

const nothing: LoginItemSettings = {
  openAtLogin: false,
  wasOpenedAtLogin: false,
  status: 'not-registered',
  executableWillLaunchAtLogin: false,
  launchItems: [],
}

describe('the app on Windows', () => {
  it('has the id that its installer gives to the shortcut', () => {
    const builder = readFileSync(
      path.join(import.meta.dirname, '../../../../../electron-builder.yml'),
      'utf8',
    )
    expect(/^appId: (.+)$/m.exec(builder)?.[1]).toBe(APP_ID)
  })
  it('uses the path of its program if nothing is installed', () => {
    expect(appUserModelId(true, 'C:\\x\\electron.exe')).toBe(APP_ID)
    expect(appUserModelId(false, 'C:\\x\\electron.exe')).toBe('C:\\x\\electron.exe')
  })
})

/** The registry entries of Electron 42, from its source (shell/browser/browser_win.cc). */
class WindowsLogin {
  run: string | null = null
  /** The setting of the Task Manager. */
  approved = true
  /** A policy that forbids writing there. */
  locked = false

  readonly #quote = (argument: string) =>
    /[ \\"]/.test(argument)
      ? `"${argument.replace(/(\\*)("|$)/g, '$1$1$2').replaceAll('"', '\\"')}"`
      : argument
  readonly #line = ({ path: program = '', args = [] }: LoginItemSettingsOptions) =>
    [program.replace(/^"(.*)"$/, '$1'), ...args].map(this.#quote).join(' ')
  /** The program of a command line: the quoted text, or everything before the first space. */
  readonly #program = (line: string) => /^"([^"]*)"|^[^ ]*/.exec(line)?.[1] ?? line.split(' ')[0]

  setLoginItemSettings = (settings: Settings): void => {
    if (this.locked) return
    this.run = settings.openAtLogin ? this.#line(settings) : null
    if (settings.openAtLogin) this.approved = settings.enabled ?? true
  }

  getLoginItemSettings = (options: LoginItemSettingsOptions = {}): LoginItemSettings => {
    const found = this.run !== null && this.#program(this.run) === this.#program(options.path ?? '')
    return {
      ...nothing,
      openAtLogin: this.run === this.#line(options),
      executableWillLaunchAtLogin: found && this.approved,
      launchItems: found ? [{ name: APP_ID, path: '', args: [], scope: 'user', enabled: this.approved }] : [],
    }
  }
}

describe('start at sign-in on Windows', () => {
  const program = 'C:\\Program Files\\Sluice\\Sluice.exe'
  const command = [program, '--hidden', '--data', 'D:\\Sluice data\\']
  let app: WindowsLogin
  const options = (extra = {}) =>
    ({ platform: 'win32', app, command, configFolder: '', isFallback: false, ...extra }) as const
  beforeEach(() => {
    app = new WindowsLogin()
  })

  it('is one line that Windows parses back exactly, and is found again', () => {
    expect(setStartAtLogin(options(), true, 'person')).toBeNull()
    expect(app.run).toBe('"C:\\Program Files\\Sluice\\Sluice.exe" --hidden --data "D:\\Sluice data\\\\"')
    expect(setStartAtLogin(options(), false, 'person')).toBeNull()
    expect(app.run).toBeNull()
  })
  it('follows the app to its new folder', () => {
    setStartAtLogin(options({ command: ['C:\\Old\\Sluice.exe'] }), true, 'person')
    expect(setStartAtLogin(options(), true, 'start')).toBeNull()
    expect(app.run).toContain('Program Files')
  })
  it('stays off if the Task Manager disabled it, until the user turns it on here', () => {
    setStartAtLogin(options(), true, 'person')
    app.approved = false
    expect(setStartAtLogin(options(), true, 'start')).toMatchObject({
      kind: 'switched-off',
      sentence: expect.stringContaining('Task Manager'),
    })
    expect(app.approved).toBe(false)
    expect(setStartAtLogin(options(), true, 'person')).toBeNull()
    expect(app.approved).toBe(true)
  })
  it('reports that Windows did not keep it', () => {
    app.locked = true
    expect(setStartAtLogin(options(), true, 'person')).toMatchObject({
      kind: 'failed',
      sentence: expect.stringContaining('did not keep'),
    })
  })
})

describe('open at login on macOS', () => {
  type Status = LoginItemSettings['status']
  const macos = (before: Status, after: Status = before) => {
    const app = {
      setLoginItemSettings: vi.fn(),
      getLoginItemSettings: vi.fn(() => ({
        ...nothing,
        status: app.setLoginItemSettings.mock.calls.length === 0 ? before : after,
      })),
    }
    const command = ['/Applications/Sluice.app/Contents/MacOS/Sluice', '--hidden']
    return { platform: 'darwin', app, command, configFolder: '', isFallback: false } as const
  }

  it('is registered as the app itself', () => {
    const options = macos('not-registered', 'enabled')
    expect(setStartAtLogin(options, true, 'person')).toBeNull()
    expect(options.app.setLoginItemSettings.mock.calls).toEqual([
      [{ type: 'mainAppService', openAtLogin: true }],
    ])
  })
  it('reports a missing approval, and does not ask at every start', () => {
    const asked = macos('not-registered', 'requires-approval')
    expect(setStartAtLogin(asked, true, 'person')).toMatchObject({
      kind: 'switched-off',
      sentence: expect.stringContaining('Login Items'),
    })
    const started = macos('requires-approval')
    expect(setStartAtLogin(started, true, 'start')?.kind).toBe('switched-off')
    expect(started.app.setLoginItemSettings).not.toHaveBeenCalled()
  })
  it('reports that macOS refused it', () => {
    expect(setStartAtLogin(macos('not-found'), true, 'person')).toMatchObject({ kind: 'failed' })
  })
  it('is removed in every state', () => {
    const options = macos('requires-approval')
    expect(setStartAtLogin(options, false, 'person')).toBeNull()
    expect(options.app.setLoginItemSettings).toHaveBeenCalledWith({
      type: 'mainAppService',
      openAtLogin: false,
    })
  })
  it('is refused for a different data folder, because macOS passes no arguments', () => {
    const options = macos('not-registered', 'enabled')
    const command = [...options.command, '--data', '/Volumes/x']
    expect(setStartAtLogin({ ...options, command }, true, 'person')).toMatchObject({ kind: 'failed' })
    expect(options.app.setLoginItemSettings).not.toHaveBeenCalled()
  })
  it.each([
    ['darwin', true, true],
    ['darwin', false, false],
    ['win32', true, false],
    ['linux', true, false],
  ] as const)('on %s, opened at login: %s, starts without a window: %s', (platform, opened, hidden) => {
    const app = { getLoginItemSettings: () => ({ ...nothing, wasOpenedAtLogin: opened }) }
    expect(wasOpenedAtLogin(platform, app)).toBe(hidden)
  })
})

describe('start at login on Linux', () => {
  const app = { setLoginItemSettings: vi.fn(), getLoginItemSettings: () => nothing }
  let configFolder: string
  const file = () => path.join(configFolder, 'autostart/sluice.desktop')
  const options = (command = ['/opt/sluice'], isFallback = false) =>
    ({ platform: 'linux', app, command, configFolder, isFallback }) as const
  beforeEach(() => {
    configFolder = mkdtempSync(path.join(tmpdir(), 'sluice-autostart-'))
  })
  afterEach(() => rmSync(configFolder, { recursive: true }))

  it('writes a file that starts this app in the background, and removes it again', () => {
    const command = ['/opt/My Apps/sluice', '--hidden', '--data', '/srv/100%']
    setStartAtLogin(options(command), true, 'person')
    expect(readFileSync(file(), 'utf8')).toContain(
      'Exec="/opt/My Apps/sluice" "--hidden" "--data" "/srv/100%%"',
    )
    setStartAtLogin(options(command), false, 'person')
    expect(existsSync(file())).toBe(false)
    setStartAtLogin(options(command), false, 'person')
    expect(app.setLoginItemSettings).not.toHaveBeenCalled()
  })
  it('escapes shell characters, and each of their backslashes once more', () => {
    setStartAtLogin(options(['/a"b$c`d\\e']), true, 'person')
    expect(readFileSync(file(), 'utf8')).toContain('Exec="/a\\\\"b\\\\$c\\\\`d\\\\\\\\e"\n')
  })
  it('returns the reason of a failure instead of throwing', () => {
    writeFileSync(path.join(configFolder, 'autostart'), 'a file where the folder should be')
    expect(setStartAtLogin(options(), true, 'person')?.sentence).toMatch(
      /^Sluice will not start at login\. ./,
    )
  })
  it('is not written for a fallback Electron, which can still remove an entry', () => {
    expect(setStartAtLogin(options(undefined, true), true, 'person')?.sentence).toContain('fallback Electron')
    expect(existsSync(file())).toBe(false)
    setStartAtLogin(options(), true, 'person')
    expect(setStartAtLogin(options(undefined, true), false, 'person')).toBeNull()
    expect(existsSync(file())).toBe(false)
  })
})
