import type { MonitoringSecretStore } from './monitoring-secrets.ts'
import type { SettingsStore } from './settings-store.ts'
import type { StationCalls } from './station-call-types.ts'

type Parts = {
  readonly store: SettingsStore
  readonly monitoring: MonitoringSecretStore
  readonly settingsChanged: () => void
}

/**
 * The page can set the token and the URLs of monitoring, but never read them. `MonitoringSecretStore` stores them, and
 * the agent gets them with the settings.
 */
export const monitoringCalls = ({
  store,
  monitoring,
  settingsChanged,
}: Parts): Pick<StationCalls, 'saveMonitoringSecret' | 'forgetMonitoringSecret'> => ({
  saveMonitoringSecret: ({ which, value, acceptUnprotected }) => {
    monitoring.save({ [which]: value }, acceptUnprotected)
    // A value in the settings file would override the stored value.
    store.removeMonitoring([which])
    settingsChanged()
    return null
  },
  forgetMonitoringSecret: ({ which }) => {
    // Remove the secret from the settings file first. If only `forget` succeeded, the next start would read the secret from the file
    // again.
    store.removeMonitoring([which])
    monitoring.forget(which)
    settingsChanged()
    return null
  },
})
