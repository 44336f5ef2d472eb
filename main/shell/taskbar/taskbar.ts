import path from 'node:path'
import { app, type BrowserWindow, nativeImage } from 'electron'
import type { AgentHealth } from '../../../shared/ipc/agent-health.ts'
import type { Status } from '../../../shared/status/status.ts'
import { peakBytesLeft } from '../batch-progress.ts'
import { emptyView, type TaskbarView, taskbarView } from './taskbar-view.ts'

/** Electron's value for "no progress bar". */
const NO_PROGRESS = -1

/** The button in the taskbar or the icon in the dock. Never flashes, because no problem is urgent enough. */
export class StationTaskbar {
  readonly #window: BrowserWindow
  readonly #iconFolder: string
  #status: Status | null = null
  #health: AgentHealth = { state: 'starting', restarts: 0 }
  #peakBytes = 0
  #shownJson = JSON.stringify(emptyView)

  constructor(window: BrowserWindow, iconFolder: string) {
    this.#window = window
    this.#iconFolder = iconFolder
    // A hidden window loses its taskbar button, and the new button starts empty.
    window.on('show', () => this.#draw(true))
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

  #draw(force = false): void {
    const view = taskbarView({ status: this.#status, health: this.#health }, this.#peakBytes)
    const viewJson = JSON.stringify(view)
    if ((viewJson === this.#shownJson && !force) || this.#window.isDestroyed()) return
    this.#shownJson = viewJson
    this.#show(view)
  }

  #show({ progress, overlay, badge, badgeCount }: TaskbarView): void {
    if (progress === null) this.#window.setProgressBar(NO_PROGRESS)
    else this.#window.setProgressBar(progress.done, { mode: progress.mode })
    if (process.platform === 'win32')
      this.#window.setOverlayIcon(
        overlay === null ? null : this.#image(`${overlay.icon}-overlay`),
        overlay?.description ?? '',
      )
    app.dock?.setBadge(badge)
    // Launchers without badges ignore this call.
    if (process.platform === 'linux') app.setBadgeCount(badgeCount)
  }

  #image(name: string): Electron.NativeImage {
    return nativeImage.createFromPath(path.join(this.#iconFolder, `${name}.png`))
  }
}
