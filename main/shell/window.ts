import { BrowserWindow } from 'electron'

export const openMainWindow = (options: {
  readonly pageUrl: string
  readonly preload: string
  readonly show: boolean
}): BrowserWindow => {
  const window = new BrowserWindow({
    width: 1120,
    height: 760,
    minWidth: 480,
    minHeight: 420,
    show: false,
    title: 'Sluice',
    autoHideMenuBar: true,
    webPreferences: {
      preload: options.preload,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webviewTag: false,
      spellcheck: false,
    },
  })
  // Shown once painted, so that nobody sees a white flash in a dark room.
  if (options.show) window.once('ready-to-show', () => window.show())
  void window.loadURL(options.pageUrl)
  return window
}
