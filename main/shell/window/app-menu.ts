import type { MenuItemConstructorOptions } from 'electron'

type Options = {
  readonly platform: NodeJS.Platform
  readonly isPackaged: boolean
  readonly goTo: (to: string) => void
  readonly quit: () => void
}

const screens = [
  { to: 'overview', label: 'Overview' },
  { to: 'recordings', label: 'Recordings' },
  { to: 'sessions', label: 'Service Sessions' },
  { to: 'activity', label: 'Activity' },
  { to: 'folders', label: 'Folders' },
  { to: 'service', label: 'Service && Key' },
  { to: 'transfer', label: 'Transfer' },
  { to: 'monitoring', label: 'Monitoring' },
  { to: 'general', label: 'General' },
  { to: 'diagnostics', label: 'About && Diagnostics' },
] as const

/** Follows each system's conventions: an app menu on macOS, a File menu with Exit or Quit elsewhere. */
export const appMenuTemplate = ({
  platform,
  isPackaged,
  goTo,
  quit,
}: Options): MenuItemConstructorOptions[] => {
  const isMac = platform === 'darwin'
  const settings: MenuItemConstructorOptions = {
    label: isMac ? 'Settings…' : 'Settings',
    accelerator: 'CmdOrCtrl+,',
    click: () => goTo('service'),
  }
  const about: MenuItemConstructorOptions = { label: 'About Sluice', click: () => goTo('diagnostics') }
  const firstMenu: MenuItemConstructorOptions = isMac
    ? {
        label: 'Sluice',
        submenu: [
          about,
          { type: 'separator' },
          settings,
          { type: 'separator' },
          { role: 'hide' },
          { role: 'hideOthers' },
          { role: 'unhide' },
          { type: 'separator' },
          { label: 'Quit Sluice', accelerator: 'Cmd+Q', click: quit },
        ],
      }
    : {
        label: '&File',
        submenu: [
          settings,
          { label: 'Close Window', accelerator: platform === 'win32' ? 'Alt+F4' : 'Ctrl+W', role: 'close' },
          { type: 'separator' },
          { label: platform === 'win32' ? 'E&xit' : '&Quit', accelerator: 'Ctrl+Q', click: quit },
        ],
      }
  return [
    firstMenu,
    { role: 'editMenu' },
    {
      label: isMac ? 'Go' : '&Go',
      submenu: screens.map(({ to, label }, index) => ({
        label,
        // The digit 0 resets the zoom, so the tenth screen uses a letter.
        accelerator: `CmdOrCtrl+${index < 9 ? index + 1 : 'I'}`,
        click: () => goTo(to),
      })),
    },
    {
      label: isMac ? 'View' : '&View',
      submenu: [
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        { type: 'separator' },
        { role: 'togglefullscreen' },
        ...(isPackaged ? [] : ([{ type: 'separator' }, { role: 'toggleDevTools' }] as const)),
      ],
    },
    ...(isMac ? [{ role: 'windowMenu' } as const] : []),
    {
      role: 'help',
      submenu: [
        // No accelerator: with one, users could no longer type `?`. The page handles that key.
        { label: 'Keyboard Shortcuts', click: () => goTo('keys') },
        isMac ? { label: 'Diagnostics', click: () => goTo('diagnostics') } : about,
      ],
    },
  ]
}
