import type { System } from '../../shared/ipc/system.ts'

/** The panel of the system, which may be dark while the windows are light. */
type Panel = 'dark' | 'light'

/** macOS colours a template image itself; Windows takes from an .ico what fits its scale, the others from a @2x beside. */
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
