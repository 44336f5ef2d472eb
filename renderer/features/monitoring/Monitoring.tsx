import { Screen } from '../../components/Screen.tsx'
import { ask } from '../../data/ask.ts'
import { useSettings } from '../../data/SettingsView.tsx'
import { useLoad } from '../../data/use-load.ts'
import { useRefreshTick } from '../../data/use-refresh-tick.ts'
import { AlertCard } from './AlertCard.tsx'
import { HeartbeatCard } from './HeartbeatCard.tsx'
import { MetricsCard } from './MetricsCard.tsx'

const REFRESH_MS = 2_000

export function Monitoring() {
  const { state } = useSettings()
  const tick = useRefreshTick(REFRESH_MS)
  const monitoring = useLoad(`monitoring ${JSON.stringify(state?.settings.monitoring)} ${tick}`, () =>
    ask('getMonitoring'),
  )
  const storage = useLoad('storage', () => ask('getSecretStorage'))
  const commonProps = { storage: storage.data, onChanged: monitoring.reload }
  return (
    <Screen title="Monitoring" intro="Alert people and systems elsewhere. Off until you set it up.">
      <div className="form">
        <AlertCard state={monitoring.data?.alert ?? null} {...commonProps} />
        <HeartbeatCard state={monitoring.data?.heartbeat ?? null} {...commonProps} />
        <MetricsCard state={monitoring.data} {...commonProps} />
      </div>
    </Screen>
  )
}
