import type { System } from '../../shared/ipc/system.ts'

/** The system's panel may be dark while windows are light. */
type Panel = 'dark' | 'light'

/** macOS colours a template image itself. On Windows, an .ico contains all sizes. Other systems use a `@2x` file. */
export const trayIconFile = (system: System, name: string, panel: Panel): string => {
  switch (system) {
    case 'macos':
      return `${name}Template.png`
    case 'windows':
      return `${name}-${panel}.ico`
    case 'linux':
      return `${name}-${panel}.png`
  }
}

export const appIconFile = (system: System): string => (system === 'windows' ? 'app.ico' : 'app.png')
