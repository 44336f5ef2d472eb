import { app, type Session, type WebContents } from 'electron'

const lockDown = (contents: WebContents): void => {
  const stay = (event: { preventDefault(): void; readonly url: string; readonly isMainFrame: boolean }) => {
    // Loading anew what is there leads nowhere else; the hot reload of `npm run dev` asks for it.
    if (!event.isMainFrame || event.url !== contents.getURL()) event.preventDefault()
  }
  contents.on('will-navigate', stay)
  contents.on('will-frame-navigate', stay)
  contents.on('will-redirect', (event) => event.preventDefault())
  contents.on('will-attach-webview', (event) => event.preventDefault())
  // The window has no link that leads out, so nothing is given to the browser either.
  contents.setWindowOpenHandler(() => ({ action: 'deny' }))
}

/** Applies to every page there ever is, also one that a bug would create. */
export const denyByDefault = (): void => {
  app.on('web-contents-created', (_event, contents) => lockDown(contents))
}

/** The copy buttons write text to the clipboard; nothing else is asked for, so nothing else is granted. */
const isGranted = (permission: string): boolean => permission === 'clipboard-sanitized-write'

export const closeSession = (session: Session): void => {
  session.setPermissionRequestHandler((_contents, permission, decide) => decide(isGranted(permission)))
  session.setPermissionCheckHandler((_contents, permission) => isGranted(permission))
  session.setDevicePermissionHandler(() => false)
  // Whatever is saved is saved by the main process, where the person chose.
  session.on('will-download', (event) => event.preventDefault())
}
