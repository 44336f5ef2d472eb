import { BrowserWindow, screen } from 'electron'
import { localeArgument } from '../../../shared/ipc/channel.ts'
import { readWindowState, usablePlace, writeWindowState } from './window-state.ts'

type Options = {
  readonly locale: string
  readonly preload: string
  readonly icon: string
  readonly stateFile: string
  readonly isDark: boolean
  /** Whether the window has no page on purpose. If so, the end of the page's process is not a crash. */
  readonly isUnloaded: () => boolean
  readonly log: (message: string) => void
}

const SAVE_DELAY_MS = 500
const RELOAD_DELAY_MS = 1_000

/** For every page: no Node, an isolated context, and only the calls of the preload. */
export const pagePreferences = (preload: string, additionalArguments: string[]): Electron.WebPreferences => ({
  preload,
  sandbox: true,
  contextIsolation: true,
  nodeIntegration: false,
  webviewTag: false,
  spellcheck: false,
  // Uses the code cache from the second start on. The default is the third, but a station rarely restarts.
  v8CacheOptions: 'bypassHeatCheck',
  additionalArguments,
})

/** The background before the first paint, as in `tokens.css`. */
export const groundColour = (isDark: boolean): string => (isDark ? '#15181b' : '#f4f5f6')

/** Creates a hidden, empty window. `showWindow` brings it to the front. */
export const openMainWindow = (options: Options): BrowserWindow => {
  const areas = screen.getAllDisplays().map((display) => display.workArea)
  const place = usablePlace(readWindowState(options.stateFile), areas)
  const window = new BrowserWindow({
    width: 1120,
    height: 760,
    ...(place === null ? {} : { x: place.x, y: place.y, width: place.width, height: place.height }),
    minWidth: 480,
    minHeight: 420,
    show: false,
    title: 'Sluice',
    icon: options.icon,
    autoHideMenuBar: true,
    backgroundColor: groundColour(options.isDark),
    webPreferences: pagePreferences(options.preload, [localeArgument(options.locale)]),
  })
  // `maximize` would show the hidden window.
  if (place?.maximized === true) window.once('show', () => window.maximize())
  savePlaceOnChange(window, options.stateFile)
  // Reloads a crashed page, which keeps no lasting state. The delay prevents a tight loop if the page crashes while it
  // loads.
  window.webContents.on('render-process-gone', (_event, { reason }) => {
    if (options.isUnloaded()) return
    const isCleanExit = reason === 'clean-exit'
    options.log(`the page's process ended (${reason})${isCleanExit ? '' : '; Sluice reloads the page'}`)
    if (isCleanExit) return
    setTimeout(() => window.isDestroyed() || window.webContents.reload(), RELOAD_DELAY_MS)
  })
  return window
}

const savePlaceOnChange = (window: BrowserWindow, file: string): void => {
  let isScheduled = false
  const save = () => {
    isScheduled = false
    if (window.isDestroyed()) return
    writeWindowState(file, { ...window.getNormalBounds(), maximized: window.isMaximized() })
  }
  const saveSoon = () => {
    if (isScheduled) return
    isScheduled = true
    setTimeout(save, SAVE_DELAY_MS)
  }
  window.on('resize', saveSoon)
  window.on('move', saveSoon)
}

export const showWindow = (window: BrowserWindow): void => {
  if (window.isMinimized()) window.restore()
  window.show()
  window.focus()
}
