import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { App } from 'electron'
import { systemOf, systemWords } from '../../../shared/ipc/system.ts'
import { writeError } from '../../station-store/write-error.ts'
import { autostartEntry } from './autostart-entry.ts'

type Options = {
  readonly platform: NodeJS.Platform
  readonly app: Pick<App, 'setLoginItemSettings' | 'getLoginItemSettings'>
  /** The command line that starts this app again. */
  readonly command: readonly string[]
  readonly configFolder: string
  /**
   * A fallback Electron needs a variable that only the launcher sets. A login item would start the app without the
   * launcher, so Sluice creates no login item.
   */
  readonly isFallback: boolean
}

/**
 * `switched-off`: the user has turned the entry off in the system's settings, or has not approved it yet. When Sluice
 * starts, it shows no notice about `switched-off`.
 */
export type LoginTrouble = { readonly kind: 'failed' | 'switched-off'; readonly sentence: string }

/** `user`: the user changed the setting. `start`: Sluice updates the entry, because the app may have been moved. */
type ChangedBy = 'user' | 'start'

const failedTrouble = (sentence: string): LoginTrouble => ({ kind: 'failed', sentence })
const switchedOffTrouble = (sentence: string): LoginTrouble => ({ kind: 'switched-off', sentence })

const applyOnWindows = ({ app, command }: Options, isOn: boolean, by: ChangedBy): LoginTrouble | null => {
  const [program = '', ...args] = command
  // Electron quotes the program and the arguments when it writes the registry entry, but not when it looks up an entry.
  // Without the quotes in `item`, the lookup would cut the path at its first space.
  const item = { path: `"${program}"`, args }
  const read = () => app.getLoginItemSettings(item)
  const wasSwitchedOff = read().launchItems.some(({ scope, enabled }) => scope === 'user' && !enabled)
  // An entry that the user disabled in the Task Manager stays disabled until the user turns the setting on in Sluice.
  app.setLoginItemSettings({ ...item, openAtLogin: isOn, enabled: by === 'user' || !wasSwitchedOff })
  if (!isOn) return null
  const { openAtLogin, executableWillLaunchAtLogin } = read()
  if (!openAtLogin)
    return failedTrouble('Sluice will not start at sign-in: Windows did not keep the entry for it.')
  return executableWillLaunchAtLogin
    ? null
    : switchedOffTrouble(
        'Windows does not start Sluice: it is switched off in the Task Manager, under Startup apps.',
      )
}

const applyOnMacos = ({ app, command }: Options, isOn: boolean, by: ChangedBy): LoginTrouble | null => {
  if (isOn && command.includes('--data'))
    return failedTrouble('Sluice will not open at login: macOS would open it without --data.')
  const item = { type: 'mainAppService' } as const
  const read = () => app.getLoginItemSettings(item).status
  // Registering an entry that the user has not approved would show macOS' approval dialog at every start.
  if (by === 'user' || !isOn || !['enabled', 'requires-approval'].includes(read()))
    app.setLoginItemSettings({ ...item, openAtLogin: isOn })
  if (!isOn) return null
  switch (read()) {
    case 'enabled':
      return null
    case 'requires-approval':
      return switchedOffTrouble(
        'macOS waits for your approval: allow Sluice in System Settings, General, Login Items.',
      )
    case 'not-registered':
    case 'not-found':
      return failedTrouble(
        'Sluice will not open at login: macOS did not accept it. Check that Sluice is in the Applications folder.',
      )
  }
}

/** Electron supports login items on macOS and Windows only. Linux uses a file in the autostart folder. */
const applyOnLinux = ({ command, configFolder }: Options, isOn: boolean): null => {
  const file = path.join(configFolder, 'autostart', 'sluice.desktop')
  if (!isOn) {
    rmSync(file, { force: true })
    return null
  }
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, autostartEntry(command))
  return null
}

const apply = (options: Options, isOn: boolean, by: ChangedBy): LoginTrouble | null => {
  switch (systemOf(options.platform)) {
    case 'windows':
      return applyOnWindows(options, isOn, by)
    case 'macos':
      return applyOnMacos(options, isOn, by)
    case 'linux':
      return applyOnLinux(options, isOn)
  }
}

/** Returns null if the system will follow the setting, and the trouble otherwise. Never throws. */
export const setStartAtLogin = (options: Options, isOn: boolean, by: ChangedBy): LoginTrouble | null => {
  const { atLogin } = systemWords[systemOf(options.platform)]
  if (isOn && options.isFallback)
    return failedTrouble(`Sluice will not start ${atLogin}: it runs on a fallback Electron.`)
  try {
    return apply(options, isOn, by)
  } catch (error) {
    const sentence = isOn ? `Sluice will not start ${atLogin}.` : `Sluice will still start ${atLogin}.`
    return failedTrouble(writeError(sentence, error).message)
  }
}

/** On other systems, `--hidden` marks a start at login. macOS passes no arguments at login, so the app asks macOS. */
export const wasOpenedAtLogin = (
  platform: NodeJS.Platform,
  app: Pick<App, 'getLoginItemSettings'>,
): boolean => platform === 'darwin' && app.getLoginItemSettings({ type: 'mainAppService' }).wasOpenedAtLogin
