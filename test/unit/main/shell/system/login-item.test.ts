import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { LoginItemSettings, LoginItemSettingsOptions, Settings } from 'electron'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { APP_ID, appUserModelId } from '../../../../../main/shell/system/app-id.ts'
import { setStartAtLogin, wasOpenedAtLogin } from '../../../../../main/shell/system/login-item.ts'

const notRegistered: LoginItemSettings = {
  openAtLogin: false,
  wasOpenedAtLogin: false,
  status: 'not-registered',
  executableWillLaunchAtLogin: false,
  launchItems: [],
}

describe('the app on Windows', () => {
  it('has the app ID that its installer gives to the shortcut', () => {
    const builder = readFileSync(
      path.join(import.meta.dirname, '../../../../../electron-builder.yml'),
      'utf8',
    )
    expect(/^appId: (.+)$/m.exec(builder)?.[1]).toBe(APP_ID)
  })
  it('uses the path of its program as its app ID if it is not installed', () => {
    expect(appUserModelId(true, 'C:\\x\\electron.exe')).toBe(APP_ID)
    expect(appUserModelId(false, 'C:\\x\\electron.exe')).toBe('C:\\x\\electron.exe')
  })
})

/** Simulates how Electron 42 writes and reads the registry entry (`shell/browser/browser_win.cc`). */
class WindowsLogin {
  runEntry: string | null = null
  /** False if the user has switched the entry off in the Task Manager. */
  isApproved = true
  /** True if a policy forbids changes to the entry. */
  isLocked = false

  readonly #quote = (argument: string) =>
    /[ \\"]/.test(argument)
      ? `"${argument.replace(/(\\*)("|$)/g, '$1$1$2').replaceAll('"', '\\"')}"`
      : argument
  readonly #commandLine = ({ path: program = '', args = [] }: LoginItemSettingsOptions) =>
    [program.replace(/^"(.*)"$/, '$1'), ...args].map(this.#quote).join(' ')
  /** The program of a command line: the quoted text, or everything before the first space. */
  readonly #programOf = (line: string) => /^"([^"]*)"|^[^ ]*/.exec(line)?.[1] ?? line.split(' ')[0]

  setLoginItemSettings = (settings: Settings): void => {
    if (this.isLocked) return
    this.runEntry = settings.openAtLogin ? this.#commandLine(settings) : null
    if (settings.openAtLogin) this.isApproved = settings.enabled ?? true
  }

  getLoginItemSettings = (options: LoginItemSettingsOptions = {}): LoginItemSettings => {
    const isFound =
      this.runEntry !== null && this.#programOf(this.runEntry) === this.#programOf(options.path ?? '')
    return {
      ...notRegistered,
      openAtLogin: this.runEntry === this.#commandLine(options),
      executableWillLaunchAtLogin: isFound && this.isApproved,
      launchItems: isFound
        ? [{ name: APP_ID, path: '', args: [], scope: 'user', enabled: this.isApproved }]
        : [],
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

  it('is one command line that Windows splits correctly, and can be removed again', () => {
    expect(setStartAtLogin(options(), true, 'user')).toBeNull()
    expect(app.runEntry).toBe('"C:\\Program Files\\Sluice\\Sluice.exe" --hidden --data "D:\\Sluice data\\\\"')
    expect(setStartAtLogin(options(), false, 'user')).toBeNull()
    expect(app.runEntry).toBeNull()
  })
  it('is updated after the app has moved to a different folder', () => {
    setStartAtLogin(options({ command: ['C:\\Old\\Sluice.exe'] }), true, 'user')
    expect(setStartAtLogin(options(), true, 'start')).toBeNull()
    expect(app.runEntry).toContain('Program Files')
  })
  it('stays off if the user disabled it in the Task Manager, until the user turns it on in Sluice', () => {
    setStartAtLogin(options(), true, 'user')
    app.isApproved = false
    expect(setStartAtLogin(options(), true, 'start')).toMatchObject({
      kind: 'switched-off',
      sentence: expect.stringContaining('Task Manager'),
    })
    expect(app.isApproved).toBe(false)
    expect(setStartAtLogin(options(), true, 'user')).toBeNull()
    expect(app.isApproved).toBe(true)
  })
  it('reports that Windows did not keep the entry', () => {
    app.isLocked = true
    expect(setStartAtLogin(options(), true, 'user')).toMatchObject({
      kind: 'failed',
      sentence: expect.stringContaining('did not keep'),
    })
  })
})

describe('open at login on macOS', () => {
  type Status = LoginItemSettings['status']
  const macOptions = (before: Status, after: Status = before) => {
    const app = {
      setLoginItemSettings: vi.fn(),
      getLoginItemSettings: vi.fn(() => ({
        ...notRegistered,
        status: app.setLoginItemSettings.mock.calls.length === 0 ? before : after,
      })),
    }
    const command = ['/Applications/Sluice.app/Contents/MacOS/Sluice', '--hidden']
    return { platform: 'darwin', app, command, configFolder: '', isFallback: false } as const
  }

  it('is registered as the app itself', () => {
    const options = macOptions('not-registered', 'enabled')
    expect(setStartAtLogin(options, true, 'user')).toBeNull()
    expect(options.app.setLoginItemSettings.mock.calls).toEqual([
      [{ type: 'mainAppService', openAtLogin: true }],
    ])
  })
  it('reports a missing approval, and does not register again at every start', () => {
    const firstAttempt = macOptions('not-registered', 'requires-approval')
    expect(setStartAtLogin(firstAttempt, true, 'user')).toMatchObject({
      kind: 'switched-off',
      sentence: expect.stringContaining('Login Items'),
    })
    const atStart = macOptions('requires-approval')
    expect(setStartAtLogin(atStart, true, 'start')?.kind).toBe('switched-off')
    expect(atStart.app.setLoginItemSettings).not.toHaveBeenCalled()
  })
  it('reports that macOS refused the entry', () => {
    expect(setStartAtLogin(macOptions('not-found'), true, 'user')).toMatchObject({ kind: 'failed' })
  })
  it('is removed even if it still needs an approval', () => {
    const options = macOptions('requires-approval')
    expect(setStartAtLogin(options, false, 'user')).toBeNull()
    expect(options.app.setLoginItemSettings).toHaveBeenCalledWith({
      type: 'mainAppService',
      openAtLogin: false,
    })
  })
  it('is refused for a different data folder, because macOS passes no arguments', () => {
    const options = macOptions('not-registered', 'enabled')
    const command = [...options.command, '--data', '/Volumes/x']
    expect(setStartAtLogin({ ...options, command }, true, 'user')).toMatchObject({ kind: 'failed' })
    expect(options.app.setLoginItemSettings).not.toHaveBeenCalled()
  })
})

it.each([
  ['darwin', true, true],
  ['darwin', false, false],
  ['win32', true, false],
  ['linux', true, false],
] as const)(
  'on %s, opened by the system at login: %s, starts without a window: %s',
  (platform, isOpenedAtLogin, isHidden) => {
    const app = { getLoginItemSettings: () => ({ ...notRegistered, wasOpenedAtLogin: isOpenedAtLogin }) }
    expect(wasOpenedAtLogin(platform, app)).toBe(isHidden)
  },
)

describe('start at login on Linux', () => {
  const app = { setLoginItemSettings: vi.fn(), getLoginItemSettings: () => notRegistered }
  let configFolder: string
  const desktopFile = () => path.join(configFolder, 'autostart/sluice.desktop')
  const options = (command = ['/opt/sluice'], isFallback = false) =>
    ({ platform: 'linux', app, command, configFolder, isFallback }) as const
  beforeEach(() => {
    configFolder = mkdtempSync(path.join(tmpdir(), 'sluice-autostart-'))
  })
  afterEach(() => rmSync(configFolder, { recursive: true }))

  it('writes a file that starts this app in the background, and removes this file again', () => {
    const command = ['/opt/My Apps/sluice', '--hidden', '--data', '/srv/100%']
    setStartAtLogin(options(command), true, 'user')
    expect(readFileSync(desktopFile(), 'utf8')).toContain(
      'Exec="/opt/My Apps/sluice" "--hidden" "--data" "/srv/100%%"',
    )
    setStartAtLogin(options(command), false, 'user')
    expect(existsSync(desktopFile())).toBe(false)
    setStartAtLogin(options(command), false, 'user')
    expect(app.setLoginItemSettings).not.toHaveBeenCalled()
  })
  it('escapes shell characters, and escapes each backslash a second time', () => {
    setStartAtLogin(options(['/a"b$c`d\\e']), true, 'user')
    expect(readFileSync(desktopFile(), 'utf8')).toContain('Exec="/a\\\\"b\\\\$c\\\\`d\\\\\\\\e"\n')
  })
  it('returns the reason for a failure instead of throwing', () => {
    writeFileSync(path.join(configFolder, 'autostart'), 'a file where the folder should be')
    expect(setStartAtLogin(options(), true, 'user')?.sentence).toMatch(/^Sluice will not start at login\. ./)
  })
  it('does not write an entry for a fallback Electron, but can remove one', () => {
    expect(setStartAtLogin(options(undefined, true), true, 'user')?.sentence).toContain('fallback Electron')
    expect(existsSync(desktopFile())).toBe(false)
    setStartAtLogin(options(), true, 'user')
    expect(setStartAtLogin(options(undefined, true), false, 'user')).toBeNull()
    expect(existsSync(desktopFile())).toBe(false)
  })
})
