import path from 'node:path'
import {
  Menu,
  type MenuItemConstructorOptions,
  nativeImage,
  nativeTheme,
  type Rectangle,
  Tray,
} from 'electron'
import type { AgentHealth } from '../../../shared/ipc/agent-health.ts'
import { systemOf } from '../../../shared/ipc/system.ts'
import type { Status } from '../../../shared/status/status.ts'
import { peakBytesLeft } from '../batch-progress.ts'
import { trayIconFile } from '../icon-file.ts'
import { type TrayAction, type TrayItem, trayIcon, trayMenu, trayTip } from './tray-menu.ts'

const isMac = process.platform === 'darwin'

type Options = {
  readonly iconFolder: string
  readonly act: (action: TrayAction) => void
  /** Called for a click on the icon. `icon` is empty if the desktop does not report its position. */
  readonly onClick: (icon: Rectangle) => void
}

/** Keeps a reference to the tray icon: a garbage-collected icon disappears. */
export class StationTray {
  readonly #tray: Tray
  readonly #options: Options
  #status: Status | null = null
  #health: AgentHealth = { state: 'starting', restarts: 0 }
  #startAtLogin = false
  #peakBytes = 0
  #shownJson = ''
  #menu: Menu | null = null

  constructor(options: Options) {
    this.#options = options
    this.#tray = new Tray(this.#image('idle'))
    this.#tray.on('click', () => options.onClick(this.#tray.getBounds()))
    // On macOS, `setContextMenu` would open the menu on the left click too, so open it here on the right click.
    if (isMac)
      this.#tray.on('right-click', () => this.#menu !== null && this.#tray.popUpContextMenu(this.#menu))
    nativeTheme.on('updated', () => this.#draw(true))
    this.#draw()
  }

  setStatus(status: Status): void {
    this.#status = status
    this.#peakBytes = peakBytesLeft(this.#peakBytes, status)
    this.#draw()
  }

  setHealth(health: AgentHealth): void {
    this.#health = health
    this.#draw()
  }

  setStartAtLogin(isOn: boolean): void {
    this.#startAtLogin = isOn
    this.#draw()
  }

  /** Redraws only after a change, because on some desktops a redrawn menu closes while it is open. */
  #draw(force = false): void {
    const view = {
      status: this.#status,
      health: this.#health,
      startAtLogin: this.#startAtLogin,
      system: systemOf(process.platform),
    }
    const items = trayMenu(view)
    const icon = trayIcon(view, this.#peakBytes)
    const tip = trayTip(view)
    const viewJson = JSON.stringify([icon, tip, items])
    if (viewJson === this.#shownJson && !force) return
    this.#shownJson = viewJson
    this.#tray.setImage(this.#image(icon))
    this.#tray.setToolTip(tip)
    this.#menu = Menu.buildFromTemplate(items.map((item) => this.#template(item)))
    if (!isMac) this.#tray.setContextMenu(this.#menu)
  }

  #template(item: TrayItem): MenuItemConstructorOptions {
    switch (item.kind) {
      case 'separator':
        return { type: 'separator' }
      case 'text':
        return { label: item.label, enabled: false }
      case 'act':
        return { label: item.label, click: () => this.#options.act(item.action) }
      case 'check':
        return {
          type: 'checkbox',
          label: item.label,
          checked: item.checked,
          click: () => this.#options.act(item.action),
        }
      case 'menu':
        return { label: item.label, submenu: item.items.map((inner) => this.#template(inner)) }
    }
  }

  #image(name: string): Electron.NativeImage {
    // The tray icon follows the theme of the taskbar or menu bar, not the theme of the window.
    const barTheme = nativeTheme.shouldUseDarkColorsForSystemIntegratedUI ? 'dark' : 'light'
    const file = trayIconFile(systemOf(process.platform), name, barTheme)
    return nativeImage.createFromPath(path.join(this.#options.iconFolder, file))
  }
}
