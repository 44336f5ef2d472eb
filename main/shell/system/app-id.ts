/** The `appId` of electron-builder.yml, which the installer also gives to the shortcut in the start menu. */
export const APP_ID = 'org.sluice.agent'

/**
 * Windows shows notifications, taskbar buttons and jump lists only of an app whose id is that of a shortcut in the
 * start menu. A source tree has no installed shortcut; there Electron's own program is one that can be pinned.
 */
export const appUserModelId = (isPackaged: boolean, program: string): string =>
  isPackaged ? APP_ID : program
