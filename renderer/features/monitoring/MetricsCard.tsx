import type { SecretStorage } from '../../../shared/ipc/ipc.ts'
import type { MonitoringState } from '../../../shared/ipc/monitoring.ts'
import { settingNames } from '../../../shared/settings/setting-names.ts'
import { Card } from '../../components/Card.tsx'
import { FormFoot } from '../../components/FormFoot.tsx'
import { ListeningFields } from '../../components/ListeningFields.tsx'
import { Managed } from '../../components/Managed.tsx'
import { StatusLines } from '../../components/StatusLines.tsx'
import { useAgent } from '../../data/AgentView.tsx'
import { useSettings } from '../../data/SettingsView.tsx'
import { useForm } from '../../data/use-form.ts'
import { useNow } from '../../data/use-now.ts'
import { metricsDraft, metricsLines, monitoringSchema, readMetrics } from './monitoring-draft.ts'
import { SecretField } from './SecretField.tsx'

type Props = {
  readonly state: MonitoringState | null
  readonly storage: SecretStorage | null
  readonly onChanged: () => void
}

/** The metrics address, its token and its last request. */
export function MetricsCard({ state, storage, onChanged }: Props) {
  const { state: settings } = useSettings()
  const { status } = useAgent()
  const now = useNow()
  const monitoring = settings?.settings.monitoring
  const form = useForm({
    stored: metricsDraft(monitoring),
    schema: monitoringSchema,
    section: 'monitoring',
    read: readMetrics,
    put: (settingsBefore, value) => {
      const { metrics: _before, ...rest } = settingsBefore.monitoring
      return { ...settingsBefore, monitoring: { ...rest, ...(value as object) } }
    },
  })
  const { draft, change, errorAt } = form
  const isOn = monitoring?.metrics !== undefined
  const problem = status?.station.conditions.find(({ code }) => code.startsWith('metrics-')) ?? null

  return (
    <Card title="Metrics for Prometheus">
      <p className="quiet">
        Prometheus can watch many stations: their backlog, problems, silent folders, disk space and forecast.
        Sluice comes with alert rules and a dashboard.
      </p>
      <Managed path="monitoring.metrics">
        <ListeningFields
          label={settingNames['monitoring.metrics']}
          help="Metrics contain no recording names."
          addressHelp="Only this PC can reach 127.0.0.1. Any other address needs a token."
          draft={draft}
          change={change}
          errorAt={(field) => errorAt(`metrics.${field}`)}
        />
        {(draft.isOn || form.isDirty) && <FormFoot form={form} />}
        {isOn && (
          <SecretField
            which="token"
            label={settingNames['monitoring.metrics.token']}
            noun="token"
            placeholder="At least 16 characters"
            help="Prometheus sends it in the header Authorization: Bearer."
            storedSentence={
              state?.metrics.hasToken === true ? 'A token is stored. Each request must send it.' : null
            }
            storage={storage}
            onChanged={onChanged}
          />
        )}
      </Managed>
      {state !== null && <StatusLines lines={metricsLines(state, problem, isOn, now)} />}
    </Card>
  )
}
