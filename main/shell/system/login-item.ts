import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { App } from 'electron'
import { writeRefused } from '../settings/write-refused.ts'

/** Quoted for the Exec key as the desktop entry specification asks: inside double quotes, four signs escaped. */
const quote = (argument: string) => `"${argument.replace(/[\\"`$]/g, '\\$&').replace(/%/g, '%%')}"`

export const autostartEntry = (command: readonly string[]): string =>
  [
    '[Desktop Entry]',
    'Type=Application',
    'Name=Sluice',
    'Comment=Uploads recordings in the background',
    `Exec=${command.map(quote).join(' ')}`,
    'Terminal=false',
    'X-GNOME-Autostart-enabled=true',
    '',
  ].join('\n')

type Options = {
  readonly platform: NodeJS.Platform
  readonly app: Pick<App, 'setLoginItemSettings'>
  /** What starts this very app again, the program first. */
  readonly command: readonly string[]
  readonly configFolder: string
  /** Started at login, without the launcher, nothing would tell the app that it runs on a fallback Electron. */
  readonly isFallback: boolean
}

/** Electron's own login items know macOS and Windows; on Linux a file in the autostart folder does it. */
const apply = (options: Options, on: boolean): void => {
  const { platform, app, command, configFolder } = options
  if (platform !== 'linux') {
    const [program = process.execPath, ...args] = command
    app.setLoginItemSettings({ openAtLogin: on, path: program, args })
    return
  }
  const file = path.join(configFolder, 'autostart', 'sluice.desktop')
  if (!on) {
    rmSync(file, { force: true })
    return
  }
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, autostartEntry(command))
}

/** Why it could not be done, in a sentence; null when it was. It is never a reason to stop. */
export const setStartAtLogin = (options: Options, on: boolean): string | null => {
  if (on && options.isFallback) return 'Sluice will not start at login: it runs on a fallback Electron.'
  try {
    apply(options, on)
    return null
  } catch (error) {
    const what = on ? 'Sluice will not start at login.' : 'Sluice will still start at login.'
    return writeRefused(what, error).message
  }
}
