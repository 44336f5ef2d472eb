/** The `appId` in electron-builder.yml. The installer gives it to the shortcut in the start menu. */
export const APP_ID = 'org.sluice.agent'

/**
 * Windows shows notifications and jump lists only for an app whose id matches a shortcut in the start menu. A source
 * tree has no shortcut. So an app that runs from source uses the path of Electron's program as its id, because users
 * can pin that program to the start menu.
 */
export const appUserModelId = (isPackaged: boolean, program: string): string =>
  isPackaged ? APP_ID : program
