import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { App } from 'electron'
import { systemOf, systemWords } from '../../../shared/ipc/system.ts'
import { writeRefused } from '../settings/write-error.ts'
import { autostartEntry } from './autostart-entry.ts'

type Options = {
  readonly platform: NodeJS.Platform
  readonly app: Pick<App, 'setLoginItemSettings' | 'getLoginItemSettings'>
  /** What starts this very app again, the program first. */
  readonly command: readonly string[]
  readonly configFolder: string
  /** Started at login, without the launcher, nothing would tell the app that it runs on a fallback Electron. */
  readonly isFallback: boolean
}

/** `switched-off`: in the system's own settings, by somebody who may, so nobody is to be told about it again. */
export type LoginTrouble = { readonly kind: 'failed' | 'switched-off'; readonly sentence: string }

/** `person`: the switch was moved. `start`: what is there is brought up to date, the app may have been moved. */
type AskedBy = 'person' | 'start'

const failed = (sentence: string): LoginTrouble => ({ kind: 'failed', sentence })
const switchedOff = (sentence: string): LoginTrouble => ({ kind: 'switched-off', sentence })

const onWindows = ({ app, command }: Options, on: boolean, by: AskedBy): LoginTrouble | null => {
  const [program = '', ...args] = command
  // Electron quotes program and arguments in the registry by itself. Its look-up does not: without quotes a path ends
  // at its first space there.
  const item = { path: `"${program}"`, args }
  const read = () => app.getLoginItemSettings(item)
  const wasSwitchedOff = read().launchItems.some(({ scope, enabled }) => scope === 'user' && !enabled)
  // What was switched off in the Task Manager stays so until the person switches it on here.
  app.setLoginItemSettings({ ...item, openAtLogin: on, enabled: by === 'person' || !wasSwitchedOff })
  if (!on) return null
  const { openAtLogin, executableWillLaunchAtLogin } = read()
  if (!openAtLogin) return failed('Sluice will not start at sign-in: Windows did not keep the entry for it.')
  return executableWillLaunchAtLogin
    ? null
    : switchedOff(
        'Windows does not start Sluice: it is switched off in the Task Manager, under Startup apps.',
      )
}

const onMacos = ({ app, command }: Options, on: boolean, by: AskedBy): LoginTrouble | null => {
  if (on && command.includes('--data'))
    return failed('Sluice will not open at login: macOS would open it without --data.')
  const item = { type: 'mainAppService' } as const
  const read = () => app.getLoginItemSettings(item).status
  // Asking anew what the person has denied would put macOS' own question on the screen at every start.
  if (by === 'person' || !on || !['enabled', 'requires-approval'].includes(read()))
    app.setLoginItemSettings({ ...item, openAtLogin: on })
  if (!on) return null
  switch (read()) {
    case 'enabled':
      return null
    case 'requires-approval':
      return switchedOff(
        'macOS waits for your approval: allow Sluice in System Settings, General, Login Items.',
      )
    case 'not-registered':
    case 'not-found':
      return failed('Sluice will not open at login: macOS did not take it. Is it in the Applications folder?')
  }
}

/** Electron's own login items know macOS and Windows; on Linux a file in the autostart folder does it. */
const onLinux = ({ command, configFolder }: Options, on: boolean): null => {
  const file = path.join(configFolder, 'autostart', 'sluice.desktop')
  if (!on) {
    rmSync(file, { force: true })
    return null
  }
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, autostartEntry(command))
  return null
}

const apply = (options: Options, on: boolean, by: AskedBy): LoginTrouble | null => {
  switch (systemOf(options.platform)) {
    case 'windows':
      return onWindows(options, on, by)
    case 'macos':
      return onMacos(options, on, by)
    case 'linux':
      return onLinux(options, on)
  }
}

/** Why it could not be done; null when it was. It is never a reason to stop. */
export const setStartAtLogin = (options: Options, on: boolean, by: AskedBy): LoginTrouble | null => {
  const { atLogin } = systemWords[systemOf(options.platform)]
  if (on && options.isFallback)
    return failed(`Sluice will not start ${atLogin}: it runs on a fallback Electron.`)
  try {
    return apply(options, on, by)
  } catch (error) {
    const what = on ? `Sluice will not start ${atLogin}.` : `Sluice will still start ${atLogin}.`
    return failed(writeRefused(what, error).message)
  }
}

/** macOS passes no arguments at login: there the app has to ask whether the window is wanted. */
export const wasOpenedAtLogin = (
  platform: NodeJS.Platform,
  app: Pick<App, 'getLoginItemSettings'>,
): boolean => platform === 'darwin' && app.getLoginItemSettings({ type: 'mainAppService' }).wasOpenedAtLogin
