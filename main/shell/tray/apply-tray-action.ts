import { app } from 'electron'
import { pauseEnd } from '../../../shared/status/pause.ts'
import type { StationAgent } from '../../supervisor/station-agent.ts'
import type { ShellStation } from '../calls/shell-calls.ts'
import type { StationTray } from './tray.ts'
import type { TrayAction } from './tray-menu.ts'

type Needs = {
  /** Brings the window to the front and opens a screen. */
  readonly show: (to: string) => void
  readonly agent: StationAgent
  /** Queried when needed: the window may attach to another station, or return to its own. */
  readonly station: () => ShellStation
  readonly tray: StationTray
  readonly log: (message: string) => void
}

/** Does what the user chose in the menu of the tray icon. */
export const applyTrayAction = (action: TrayAction, { show, agent, station, tray, log }: Needs): void => {
  switch (action.kind) {
    case 'open':
      show(action.to)
      return
    case 'pause':
      void agent.call('pause', { until: pauseEnd(action.choice, new Date()) })
      return
    case 'resume':
      void agent.call('resume', undefined)
      return
    case 'upload-now':
      void agent.call('uploadNow', { id: null })
      return
    case 'keep-upload-hours':
      void agent.call('cancelUploadNow', { id: null })
      return
    case 'toggle-login': {
      const { settings, managed } = station().state
      if (managed?.locked.includes('app.start_at_login')) {
        tray.setStartAtLogin(settings.app.start_at_login)
        return
      }
      const start_at_login = !settings.app.start_at_login
      const next = { ...settings, app: { ...settings.app, start_at_login } }
      // If the save fails, the menu shows the old setting again. For example, the attached agent may have stopped.
      void Promise.resolve(station().calls.saveSettings(next))
        .catch((error: Error) => log(error.message))
        .finally(() => tray.setStartAtLogin(station().state.settings.app.start_at_login))
      return
    }
    case 'quit':
      app.quit()
      return
  }
}
