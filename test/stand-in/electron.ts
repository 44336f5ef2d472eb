import { EventEmitter } from 'node:events'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { forkUtility, type UtilityChild } from '../support/utility-process.ts'
import { closeBrowser } from './window.ts'

/**
 * The part of Electron that the main process uses, for machines without Electron. The window is a real Chromium. The
 * agent and the sandbox are real processes. Tray, menu and notifications accept every call and do nothing. Tests send
 * the power events and answer the dialogs. The tests in `test/e2e` run with the stand-in or with the real Electron.
 */

export { BrowserWindow, ipcMain, protocol, screen } from './window.ts'

const root = path.join(import.meta.dirname, '../..')

class App extends EventEmitter {
  readonly isPackaged = false
  readonly commandLine = {
    hasSwitch: (name: string) => process.argv.includes(`--${name}`),
    appendSwitch: () => undefined,
  }
  readonly #paths = new Map<string, string>()
  #lock: string | null = null

  getAppPath = () => root
  getName = () => 'sluice'
  getVersion = () => JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')).version as string
  setPath = (name: string, folder: string) => void this.#paths.set(name, folder)
  getPath = (name: string) => {
    const config = process.env.XDG_CONFIG_HOME ?? path.join(homedir(), '.config')
    return this.#paths.get(name) ?? (name === 'appData' ? config : path.join(config, 'sluice'))
  }
  enableSandbox = () => {}
  disableHardwareAcceleration = () => {}
  getSystemLocale = () => 'en-US'
  setLoginItemSettings = () => {}
  setBadgeCount = () => true
  whenReady = async () => {}
  isReady = () => true

  /** Takes the lock of the data folder, or sends the message to the process that has the lock. */
  requestSingleInstanceLock(message: unknown): boolean {
    const file = path.join(this.getPath('userData'), 'stand-in.pid')
    const messageFile = `${file}.message`
    try {
      writeFileSync(messageFile, JSON.stringify(message))
      process.kill(Number(readFileSync(file, 'utf8')), 'SIGUSR2')
      return false
    } catch {
      // No process has the lock.
    }
    writeFileSync(file, String(process.pid))
    this.#lock = file
    process.on('SIGUSR2', () =>
      this.emit('second-instance', {}, [], '', JSON.parse(readFileSync(messageFile, 'utf8'))),
    )
    return true
  }

  quit(): void {
    let isPrevented = false
    this.emit('before-quit', {
      preventDefault: () => {
        isPrevented = true
      },
    })
    if (!isPrevented) void this.#end()
  }

  async #end(): Promise<void> {
    await closeBrowser()
    if (this.#lock !== null) rmSync(this.#lock, { force: true })
    process.exit(0)
  }
}

export const app = new App()

/** The process ID of the last started utility process of each service name. */
export const utilityPids = new Map<string, number>()

export const utilityProcess = {
  fork: (
    entry: string,
    args: readonly string[],
    options: { readonly serviceName: string; readonly stdio: 'pipe' },
  ): UtilityChild => {
    const child = forkUtility(entry, args, options)
    if (child.pid !== undefined) utilityPids.set(options.serviceName, child.pid)
    return child
  },
}

/** The stand-in behaves like Linux without a keychain: it stores secrets unencrypted, and reports that. */
let isPlainTextAllowed = false
export const safeStorage = {
  getSelectedStorageBackend: () => 'basic_text',
  setUsePlainTextEncryption: (on: boolean) => {
    isPlainTextAllowed = on
  },
  isEncryptionAvailable: () => isPlainTextAllowed,
  encryptString: (text: string) => Buffer.from(text).reverse(),
  decryptString: (bytes: Buffer) => Buffer.from(bytes).reverse().toString(),
}

export const dialog = {
  showSaveDialog: async () => ({ canceled: true, filePath: '' }),
  showOpenDialog: async () => ({ canceled: true, filePaths: [] as string[] }),
  questions: [] as string[],
  answer: 0,
  showMessageBox: async (
    _window: unknown,
    { message, detail }: { readonly message: string; readonly detail: string },
  ) => {
    dialog.questions.push(`${message}\n${detail}`)
    return { response: dialog.answer }
  },
}

export class Tray extends EventEmitter {
  setImage(): void {}
  setToolTip(): void {}
  setContextMenu(): void {}
}

export class Notification extends EventEmitter {
  static isSupported = () => false
  show(): void {}
}

export const Menu = { buildFromTemplate: () => null, setApplicationMenu: () => {} }
export const nativeTheme = Object.assign(new EventEmitter(), {
  themeSource: 'system',
  shouldUseDarkColors: false,
  shouldUseDarkColorsForSystemIntegratedUI: false,
})
export const nativeImage = {
  createFromPath: (file: string) => {
    if (!existsSync(file)) throw new Error(`there is no icon ${file}`)
    return {}
  },
}
export const powerMonitor = Object.assign(new EventEmitter(), { isOnBatteryPower: () => false })
export const powerSaveBlocker = { start: () => 1, stop: () => {} }
export const shell = {
  showItemInFolder: () => {},
  openPath: async () => '',
  openExternal: async () => {},
  beep: () => {},
}
export const session = {
  defaultSession: {
    setPermissionRequestHandler: () => {},
    setPermissionCheckHandler: () => {},
    setDevicePermissionHandler: () => {},
    on: () => {},
    resolveProxy: async () => 'DIRECT',
  },
}
