import { settingsSchema } from '../../../shared/settings.ts'
import { Button } from '../../components/Button.tsx'
import { Card } from '../../components/Card.tsx'
import { Switch, TextField } from '../../components/Fields.tsx'
import { FormFoot } from '../../components/FormFoot.tsx'
import { Managed } from '../../components/Managed.tsx'
import { LoadingRows } from '../../components/Placeholder.tsx'
import { Screen } from '../../components/Screen.tsx'
import { useSettings } from '../../data/SettingsView.tsx'
import { useAppSetting } from '../../data/use-app-setting.ts'
import { useForm } from '../../data/use-form.ts'
import { newWindow, readTransfer, transferDraft, type WindowDraft } from './transfer-draft.ts'
import './transfer.css'
import { WindowEditor } from './WindowEditor.tsx'

const schema = settingsSchema.shape.transfer

const withoutIndex = <T,>(items: readonly T[], index: number): readonly T[] =>
  items.filter((_, position) => position !== index)

function TransferForm() {
  const { state } = useSettings()
  const form = useForm({
    stored: transferDraft(state?.settings.transfer ?? schema.parse(undefined)),
    schema,
    section: 'transfer',
    read: readTransfer,
    put: (settings, value) => ({ ...settings, transfer: value as never }),
  })
  const { draft, change, errorAt } = form
  const setWindow = (index: number, window: WindowDraft) =>
    change({ windows: draft.windows.map((known, position) => (position === index ? window : known)) })

  return (
    <Card title="Speed and hours">
      <div className="field-pair">
        <Managed path="transfer.parallel_recordings">
          <TextField
            label="Recordings at once"
            width="short"
            inputMode="numeric"
            value={draft.parallelRecordings}
            onChange={(parallelRecordings) => change({ parallelRecordings })}
            error={errorAt('parallel_recordings')}
          />
        </Managed>
        <Managed path="transfer.parallel_parts">
          <TextField
            label="Parts at once"
            width="short"
            help="Of all recordings together."
            inputMode="numeric"
            value={draft.parallelParts}
            onChange={(parallelParts) => change({ parallelParts })}
            error={errorAt('parallel_parts')}
          />
        </Managed>
      </div>
      <Managed path="transfer.limit_mbit_per_s">
        <TextField
          label="Speed limit"
          width="short"
          placeholder="None"
          unit="Mbit/s"
          inputMode="decimal"
          help="For all uploads of this station together."
          value={draft.limit}
          onChange={(limit) => change({ limit })}
          error={errorAt('limit_mbit_per_s')}
        />
      </Managed>
      <Managed path="transfer.windows">
        <div className="stack">
          <h3>Upload hours</h3>
          {draft.windows.length === 0 && <p className="quiet">Uploads run at any time of the day.</p>}
          {draft.windows.map((window, index) => (
            <WindowEditor
              // biome-ignore lint/suspicious/noArrayIndexKey: hours have no identity besides their place.
              key={index}
              number={index + 1}
              window={window}
              onChange={(changed) => setWindow(index, changed)}
              onRemove={() => change({ windows: withoutIndex(draft.windows, index) })}
              errorAt={(field) => errorAt(`windows.${index}.${field}`)}
            />
          ))}
          <div>
            <Button
              size="small"
              icon="plus"
              onPress={() => change({ windows: [...draft.windows, newWindow] })}
            >
              Add upload hours
            </Button>
          </div>
        </div>
      </Managed>
      <FormFoot form={form} />
    </Card>
  )
}

export function Transfer() {
  const { app, set } = useAppSetting()
  return (
    <Screen
      title="Transfer"
      intro="How fast and when this station uploads. Changes hold at once, also for what is under way."
    >
      {app === null ? (
        <LoadingRows rows={4} label="Settings are loading" />
      ) : (
        <div className="form">
          <TransferForm />
          <Card title="Power">
            <Managed path="app.keep_awake_while_uploading">
              <Switch
                label="Keep this PC awake while bytes are moving"
                help="Only then. An idle PC sleeps as it always does, and uploads carry on when it wakes."
                isSelected={app.keep_awake_while_uploading}
                onChange={(keep_awake_while_uploading) => set({ keep_awake_while_uploading })}
              />
            </Managed>
          </Card>
        </div>
      )}
    </Screen>
  )
}
