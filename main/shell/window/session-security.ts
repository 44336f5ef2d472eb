import { app, type Session, type WebContents } from 'electron'

const lockDown = (contents: WebContents): void => {
  const preventNavigation = (event: {
    preventDefault(): void
    readonly url: string
    readonly isMainFrame: boolean
  }) => {
    // Allows a reload of the current page, which the hot reload of `npm run dev` needs.
    if (!event.isMainFrame || event.url !== contents.getURL()) event.preventDefault()
  }
  contents.on('will-navigate', preventNavigation)
  contents.on('will-frame-navigate', preventNavigation)
  contents.on('will-redirect', (event) => event.preventDefault())
  contents.on('will-attach-webview', (event) => event.preventDefault())
  // The page has no external links, so it never needs a new window or the browser.
  contents.setWindowOpenHandler(() => ({ action: 'deny' }))
}

/** Applies to every page, including a page that a bug might create. */
export const denyByDefault = (): void => {
  app.on('web-contents-created', (_event, contents) => lockDown(contents))
}

/** The copy buttons write text to the clipboard. The page needs no other permission. */
const isGranted = (permission: string): boolean => permission === 'clipboard-sanitized-write'

export const restrictSession = (session: Session): void => {
  session.setPermissionRequestHandler((_contents, permission, decide) => decide(isGranted(permission)))
  session.setPermissionCheckHandler((_contents, permission) => isGranted(permission))
  session.setDevicePermissionHandler(() => false)
  // Only the main process saves files, in the place that the user chose.
  session.on('will-download', (event) => event.preventDefault())
}
