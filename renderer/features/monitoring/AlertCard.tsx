import type { SecretStorage } from '../../../shared/ipc/ipc.ts'
import type { MonitoringState } from '../../../shared/ipc/monitoring.ts'
import { settingNames } from '../../../shared/settings/setting-names.ts'
import { Card } from '../../components/Card.tsx'
import { Managed } from '../../components/Managed.tsx'
import { StatusLines } from '../../components/StatusLines.tsx'
import { ask } from '../../data/ask.ts'
import { useNow } from '../../data/use-now.ts'
import { deliveryLines } from './monitoring-draft.ts'
import { SecretField } from './SecretField.tsx'
import { SendNow } from './SendNow.tsx'

type Props = {
  readonly state: MonitoringState['alert'] | null
  readonly storage: SecretStorage | null
  readonly onChanged: () => void
}

/** The alert URL, its test and its last delivery. */
export function AlertCard({ state, storage, onChanged }: Props) {
  const now = useNow()
  const host = state?.host ?? null
  return (
    <Card title="Alerts">
      <p className="quiet">
        One message when something needs attention, and one when it is resolved. For Slack, Microsoft Teams
        and your own programs.
      </p>
      <Managed path="monitoring.alert_url">
        <SecretField
          which="alert_url"
          label={settingNames['monitoring.alert_url']}
          noun="URL"
          placeholder="https://hooks.slack.com/services/…"
          help="A Slack incoming webhook, a Teams workflow, or any URL that accepts JSON."
          storedSentence={host === null ? null : `Alerts go to ${host}.`}
          storage={storage}
          onChanged={onChanged}
        />
      </Managed>
      {host !== null && (
        <SendNow
          label="Send a test alert"
          send={() => ask('sendTestAlert')}
          successText={`The test alert arrived at ${host}.`}
          onFinished={onChanged}
        />
      )}
      {state !== null && (
        <StatusLines
          lines={[
            ...deliveryLines(
              state,
              { subject: 'The last alert', neverSentence: 'No alert sent since the agent started.' },
              now,
            ),
            ...(state.waiting
              ? [{ tone: 'quiet' as const, sentence: 'An alert is not delivered yet. Sluice keeps trying.' }]
              : []),
          ]}
        />
      )}
    </Card>
  )
}
