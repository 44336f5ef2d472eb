import type { SettingsFilePreview } from '../../../shared/ipc/settings-file-preview.ts'
import { draftSettingsSchema } from '../../../shared/settings/settings.ts'
import { HALL } from './folders.ts'
import { initialSettings } from './scene.ts'

/**
 * A settings file of a different station. It adds one folder, removes one, and changes one folder, the speed limit, the
 * upload hours and the station name.
 */
export const importedSettings: SettingsFilePreview = {
  kind: 'readable',
  name: 'sluice-settings-hall-4.json',
  settings: draftSettingsSchema.parse({
    ...initialSettings,
    folders: [
      { ...HALL, site: 'Hall 4', settle_seconds: 30 },
      { path: '/data/recordings/yard', site: 'Yard', device: 'rig-09' },
    ],
    transfer: {
      limit_mbit_per_s: 200,
      windows: [{ days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '18:30', to: '06:00' }],
    },
    app: { station_name: 'Hall 4 left', start_at_login: true },
  }),
  holdsKey: true,
  holdsMonitoringSecrets: false,
  holdsProxyCredentials: false,
}
