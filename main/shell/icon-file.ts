import type { System } from '../../shared/ipc/system.ts'

/** The theme of the taskbar or menu bar. It may differ from the theme of the windows. */
type BarTheme = 'dark' | 'light'

/**
 * macOS colours a template image itself. On Windows, the `.ico` file contains all sizes. On macOS and Linux, Electron
 * adds the `@2x` file beside the `.png` file.
 */
export const trayIconFile = (system: System, name: string, barTheme: BarTheme): string => {
  switch (system) {
    case 'macos':
      return `${name}Template.png`
    case 'windows':
      return `${name}-${barTheme}.ico`
    case 'linux':
      return `${name}-${barTheme}.png`
  }
}

export const appIconFile = (system: System): string => (system === 'windows' ? 'app.ico' : 'app.png')
