import type { KeptMonitoring } from '../settings/monitoring-secrets.ts'
import type { SettingsStore } from '../settings/settings-store.ts'
import type { ShellCalls } from './answer-call.ts'

type Parts = {
  readonly store: SettingsStore
  readonly monitoring: KeptMonitoring
  readonly settingsChanged: () => void
}

/** What the page sets and never reads: the keychain has it, and the agent gets it with the settings. */
export const monitoringCalls = ({
  store,
  monitoring,
  settingsChanged,
}: Parts): Pick<ShellCalls, 'saveMonitoringSecret' | 'forgetMonitoringSecret'> => ({
  saveMonitoringSecret: ({ which, value, acceptUnprotected }) => {
    monitoring.save({ [which]: value }, acceptUnprotected)
    // One that was typed into the file would win.
    store.removeMonitoring([which])
    settingsChanged()
    return null
  },
  forgetMonitoringSecret: ({ which }) => {
    // First what a later start would bring back.
    store.removeMonitoring([which])
    monitoring.forget(which)
    settingsChanged()
    return null
  },
})
