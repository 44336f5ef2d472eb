import type { SecretStorage } from '../../../shared/ipc/ipc.ts'
import type { MonitoringState } from '../../../shared/ipc/monitoring.ts'
import { settingNames } from '../../../shared/settings/setting-names.ts'
import { Card } from '../../components/Card.tsx'
import { Select } from '../../components/Choices.tsx'
import { Managed } from '../../components/Managed.tsx'
import { StatusLines } from '../../components/StatusLines.tsx'
import { ask } from '../../data/ask.ts'
import { useNotices } from '../../data/Notices.tsx'
import { useSettings } from '../../data/SettingsView.tsx'
import { useNow } from '../../data/use-now.ts'
import { deliveryLines, intervalChoices } from './monitoring-draft.ts'
import { SecretField } from './SecretField.tsx'
import { SendNow } from './SendNow.tsx'

type Props = {
  readonly state: MonitoringState['heartbeat'] | null
  readonly storage: SecretStorage | null
  readonly onChanged: () => void
}

/** The heartbeat URL, its interval and its last delivery. */
export function HeartbeatCard({ state, storage, onChanged }: Props) {
  const { state: settings, saveOrThrow } = useSettings()
  const { attempt } = useNotices()
  const now = useNow()
  const seconds = settings?.settings.monitoring.heartbeat_seconds ?? 300
  const host = state?.host ?? null
  const setSeconds = (value: string) =>
    attempt(
      () =>
        saveOrThrow((settingsBefore) => ({
          ...settingsBefore,
          monitoring: { ...settingsBefore.monitoring, heartbeat_seconds: Number(value) },
        })),
      'Saved.',
    )

  return (
    <Card title="Heartbeat">
      <p className="quiet">
        Sluice calls this URL while all is well, and URL + /fail when something needs attention. If the PC is
        off, the calls stop and the heartbeat service raises the alarm.
      </p>
      <Managed path="monitoring.heartbeat_url">
        <SecretField
          which="heartbeat_url"
          label={settingNames['monitoring.heartbeat_url']}
          noun="URL"
          placeholder="https://hc-ping.com/…"
          help="From healthchecks.io or a similar service."
          storedSentence={host === null ? null : `Heartbeats go to ${host}.`}
          storage={storage}
          onChanged={onChanged}
        />
      </Managed>
      {host !== null && (
        <>
          <Managed path="monitoring.heartbeat_seconds">
            <Select
              label={settingNames['monitoring.heartbeat_seconds']}
              choices={intervalChoices(seconds)}
              value={String(seconds)}
              onChange={(value) => void setSeconds(value)}
            />
          </Managed>
          <SendNow
            label="Send a heartbeat now"
            send={() => ask('sendHeartbeat')}
            successText={`The heartbeat arrived at ${host}.`}
            onFinished={onChanged}
          />
        </>
      )}
      {state !== null && (
        <StatusLines
          lines={deliveryLines(
            state,
            { subject: 'The last heartbeat', neverSentence: 'No heartbeat sent yet.' },
            now,
          )}
        />
      )}
    </Card>
  )
}
