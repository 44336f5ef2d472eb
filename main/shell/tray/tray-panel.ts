import path from 'node:path'
import { BrowserWindow, nativeTheme, type Rectangle, screen, type WebContents } from 'electron'
import { systemClock } from '../../../shared/clock/clock.ts'
import { localeArgument, PANEL_ARGUMENT, PANEL_HASH } from '../../../shared/ipc/channel.ts'
import { groundColour, pagePreferences } from '../window/window.ts'
import { panelPlace } from './panel-place.ts'

const WIDTH = 340
const MIN_HEIGHT = 120
const MAX_HEIGHT = 480
/**
 * A click on the icon takes the focus from an open panel, and this closes the panel. The same click must not open it
 * again.
 */
const REOPEN_AFTER_MS = 300
/**
 * The panel appears when its page requests a height. After this time it appears without one, because an empty panel is
 * better than none.
 */
const SHOW_ANYWAY_AFTER_MS = 3_000

type Options = {
  /** The build output of main, preload and renderer. */
  readonly builtFolder: string
  readonly pageUrl: string
  readonly locale: string
}

/** The small window at the tray icon. It exists only while it is open, to save memory. */
export class TrayPanel {
  readonly #options: Options
  #window: BrowserWindow | null = null
  #blurredAtMs = Number.NEGATIVE_INFINITY

  constructor(options: Options) {
    this.#options = options
  }

  /** Null while the panel is closed. */
  get window(): BrowserWindow | null {
    return this.#window
  }

  isSender(sender: WebContents): boolean {
    return this.#window !== null && this.#window.webContents === sender
  }

  /** Opens the panel at the icon. If the panel is open, closes it. */
  toggle(icon: Rectangle): void {
    if (this.#window !== null) this.#window.close()
    else if (systemClock.monotonicMs() - this.#blurredAtMs > REOPEN_AFTER_MS) this.#open(icon)
  }

  close(): void {
    this.#window?.close()
  }

  #open(icon: Rectangle): void {
    const { builtFolder, pageUrl, locale } = this.#options
    const pointer = screen.getCursorScreenPoint()
    const { workArea } = screen.getDisplayNearestPoint(icon.width > 0 ? icon : pointer)
    const placeFor = (height: number) => panelPlace(icon, pointer, workArea, { width: WIDTH, height })
    const window = new BrowserWindow({
      ...placeFor(MIN_HEIGHT),
      show: false,
      frame: false,
      resizable: false,
      maximizable: false,
      minimizable: false,
      fullscreenable: false,
      skipTaskbar: true,
      alwaysOnTop: true,
      title: 'Sluice',
      backgroundColor: groundColour(nativeTheme.shouldUseDarkColors),
      webPreferences: pagePreferences(path.join(builtFolder, 'preload/index.cjs'), [
        localeArgument(locale),
        PANEL_ARGUMENT,
      ]),
    })
    this.#window = window
    const show = () => {
      if (window.isDestroyed() || window.isVisible()) return
      window.show()
      window.focus()
    }
    const showTimer = setTimeout(show, SHOW_ANYWAY_AFTER_MS)
    // The page requests the height of its content.
    window.webContents.on('content-bounds-updated', (event, { height }) => {
      event.preventDefault()
      window.setBounds(placeFor(Math.max(MIN_HEIGHT, Math.min(height, MAX_HEIGHT))))
      show()
    })
    let isClosing = false
    window.on('close', () => {
      isClosing = true
    })
    window.on('blur', () => {
      if (isClosing) return
      this.#blurredAtMs = systemClock.monotonicMs()
      window.close()
    })
    window.on('closed', () => {
      clearTimeout(showTimer)
      this.#window = null
    })
    void window.loadURL(`${pageUrl}${PANEL_HASH}`)
  }
}
