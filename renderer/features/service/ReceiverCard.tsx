import { settingNames } from '../../../shared/settings/setting-names.ts'
import { Card } from '../../components/Card.tsx'
import { FormFoot } from '../../components/FormFoot.tsx'
import { ListeningFields } from '../../components/ListeningFields.tsx'
import { Managed } from '../../components/Managed.tsx'
import { StatusLines } from '../../components/StatusLines.tsx'
import { useAgent } from '../../data/AgentView.tsx'
import { ask } from '../../data/ask.ts'
import { useSettings } from '../../data/SettingsView.tsx'
import { useForm } from '../../data/use-form.ts'
import { useLoad } from '../../data/use-load.ts'
import { useNow } from '../../data/use-now.ts'
import { useRefreshTick } from '../../data/use-refresh-tick.ts'
import { readReceiver, receiverDraft, receiverLines, webhooksSchema } from './webhook-draft.ts'

const REFRESH_MS = 2_000

/** The address at which this station receives events, and the events received so far. */
export function ReceiverCard() {
  const { state } = useSettings()
  const { status } = useAgent()
  const now = useNow()
  const webhooks = state?.settings.webhooks
  const form = useForm({
    stored: receiverDraft(webhooks),
    schema: webhooksSchema,
    section: 'webhooks',
    read: readReceiver,
    put: (settings, value) => ({ ...settings, webhooks: value as never }),
  })
  const { draft, change, errorAt } = form
  const tick = useRefreshTick(REFRESH_MS)
  const receiver = useLoad(`receiver ${JSON.stringify(webhooks)} ${tick}`, () => ask('getReceiver'))
  const isOn = webhooks?.receive !== undefined
  const problem = status?.station.conditions.find(({ code }) => code.startsWith('webhook-')) ?? null

  return (
    <Card title="Events from the service">
      <p className="quiet">
        The service can notify this station when a recording is processed. Without events, Sluice polls the
        service, so nothing is lost.
      </p>
      <Managed path="webhooks.receive">
        <ListeningFields
          label={settingNames['webhooks.receive']}
          help="Needs a URL that the service can reach, for example through a reverse proxy."
          addressHelp="Only this PC can reach 127.0.0.1."
          draft={draft}
          change={change}
          errorAt={(field) => errorAt(`receive.${field}`)}
        />
      </Managed>
      <StatusLines lines={receiver.data === null ? [] : receiverLines(receiver.data, problem, isOn, now)} />
      {(draft.isOn || form.isDirty) && <FormFoot form={form} />}
    </Card>
  )
}
