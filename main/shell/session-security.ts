import { app, type Session, shell, type WebContents } from 'electron'

/** Hosts that a link in the window may open in the browser; everything else stays shut. */
const LINK_HOSTS: ReadonlySet<string> = new Set(['github.com'])

export const mayOpenExternally = (address: string): boolean => {
  if (!URL.canParse(address)) return false
  const url = new URL(address)
  return url.protocol === 'https:' && LINK_HOSTS.has(url.hostname)
}

export const openLink = async (address: string): Promise<boolean> => {
  if (!mayOpenExternally(address)) return false
  await shell.openExternal(address)
  return true
}

const lockDown = (contents: WebContents): void => {
  contents.on('will-navigate', (event) => event.preventDefault())
  contents.on('will-redirect', (event) => event.preventDefault())
  contents.on('will-frame-navigate', (event) => event.preventDefault())
  contents.on('will-attach-webview', (event) => event.preventDefault())
  contents.setWindowOpenHandler(({ url }) => {
    void openLink(url)
    return { action: 'deny' }
  })
}

/** Applies to every page there ever is, also one that a bug would create. */
export const denyByDefault = (): void => {
  app.on('web-contents-created', (_event, contents) => lockDown(contents))
}

export const denyPermissions = (session: Session): void => {
  session.setPermissionRequestHandler((_contents, _permission, decide) => decide(false))
  session.setPermissionCheckHandler(() => false)
  session.setDevicePermissionHandler(() => false)
}
