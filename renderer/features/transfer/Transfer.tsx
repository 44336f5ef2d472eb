import { useState } from 'react'
import { settingNames } from '../../../shared/settings/setting-names.ts'
import { settingsSchema } from '../../../shared/settings/settings.ts'
import { Banner } from '../../components/Banner.tsx'
import { Button } from '../../components/Button.tsx'
import { Card } from '../../components/Card.tsx'
import { type Choice, Segments } from '../../components/Choices.tsx'
import { Switch, TextField } from '../../components/Fields.tsx'
import { FormFoot } from '../../components/FormFoot.tsx'
import { Managed } from '../../components/Managed.tsx'
import { LoadingRows } from '../../components/Placeholder.tsx'
import { Screen } from '../../components/Screen.tsx'
import { useSettings } from '../../data/SettingsView.tsx'
import { useAppSetting } from '../../data/use-app-setting.ts'
import { useForm } from '../../data/use-form.ts'
import {
  limitInBytes,
  newWindow,
  readTransfer,
  transferDraft,
  type UploadHoursDraft,
} from './transfer-draft.ts'
import './transfer.css'
import { UploadHoursEditor } from './UploadHoursEditor.tsx'
import { WeekEditor } from './WeekEditor.tsx'

const schema = settingsSchema.shape.transfer

type HoursView = 'week' | 'list'

const hoursViews: readonly Choice<HoursView>[] = [
  { id: 'week', word: 'As a week' },
  { id: 'list', word: 'As a list' },
]

const limitHelp = (limit: string): string => {
  const bytes = limitInBytes(limit)
  return `${bytes === null ? '' : `${bytes}. `}For all uploads of this station.`
}

const withoutIndex = <T,>(items: readonly T[], index: number): readonly T[] =>
  items.filter((_, position) => position !== index)

type ListProps = {
  readonly windows: readonly UploadHoursDraft[]
  readonly onChange: (windows: readonly UploadHoursDraft[]) => void
  readonly errorAt: (path: string) => string | null
  readonly error: string | null
}

/** The upload hours as a list, to the minute. */
function WindowList({ windows, onChange, errorAt, error }: ListProps) {
  const setWindow = (index: number, hours: UploadHoursDraft) =>
    onChange(windows.map((other, position) => (position === index ? hours : other)))
  return (
    <>
      {windows.map((hours, index) => (
        <UploadHoursEditor
          // biome-ignore lint/suspicious/noArrayIndexKey: upload hours have no identity but their position.
          key={index}
          number={index + 1}
          hours={hours}
          onChange={(changedWindow) => setWindow(index, changedWindow)}
          onRemove={() => onChange(withoutIndex(windows, index))}
          errorAt={(field) => errorAt(`windows.${index}.${field}`)}
        />
      ))}
      {error !== null && <Banner tone="bad">{error}</Banner>}
      <div>
        <Button size="small" icon="plus" onPress={() => onChange([...windows, newWindow])}>
          Add upload hours
        </Button>
      </div>
    </>
  )
}

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
  const [hoursView, setHoursView] = useState<HoursView>('week')
  const tooManySentence =
    errorAt('windows') === null ? null : 'Too many entries: at most 50 are possible. Join some of them.'

  return (
    <Card title="Speed and hours">
      <div className="field-pair">
        <Managed path="transfer.parallel_recordings">
          <TextField
            label={settingNames['transfer.parallel_recordings']}
            width="short"
            help="Recordings under about 1 MB do not count."
            inputMode="numeric"
            value={draft.parallelRecordings}
            onChange={(parallelRecordings) => change({ parallelRecordings })}
            error={errorAt('parallel_recordings')}
          />
        </Managed>
        <Managed path="transfer.parallel_parts">
          <TextField
            label={settingNames['transfer.parallel_parts']}
            width="short"
            help="For all recordings together."
            inputMode="numeric"
            value={draft.parallelParts}
            onChange={(parallelParts) => change({ parallelParts })}
            error={errorAt('parallel_parts')}
          />
        </Managed>
      </div>
      <Managed path="transfer.limit_mbit_per_s">
        <TextField
          label={settingNames['transfer.limit_mbit_per_s']}
          width="short"
          placeholder="None"
          unit="Mbit/s"
          inputMode="decimal"
          help={limitHelp(draft.limit)}
          value={draft.limit}
          onChange={(limit) => change({ limit })}
          error={errorAt('limit_mbit_per_s')}
        />
      </Managed>
      <div className="stack">
        <div className="row spread">
          <h3>Upload hours</h3>
          <Segments
            label={settingNames['transfer.windows']}
            choices={hoursViews}
            value={hoursView}
            onChange={setHoursView}
          />
        </div>
        {draft.windows.length === 0 && <p className="quiet">Uploads run at any time.</p>}
        <Managed path="transfer.windows">
          {hoursView === 'week' ? (
            <WeekEditor
              windows={draft.windows}
              generalLimit={draft.limit}
              onChange={(windows) => change({ windows })}
              error={tooManySentence}
            />
          ) : (
            <WindowList
              windows={draft.windows}
              onChange={(windows) => change({ windows })}
              errorAt={errorAt}
              error={tooManySentence}
            />
          )}
        </Managed>
      </div>
      <Managed path="transfer.pause_on_battery">
        <Switch
          label={settingNames['transfer.pause_on_battery']}
          help="Parts that are being sent still finish. Uploads continue when power is back."
          isSelected={draft.pauseOnBattery}
          onChange={(pauseOnBattery) => change({ pauseOnBattery })}
        />
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
      intro="How fast and when this station uploads. Changes apply to current uploads too."
    >
      {app === null ? (
        <LoadingRows rows={4} label="Loading" />
      ) : (
        <div className="form">
          <TransferForm />
          <Card title="Power">
            <Managed path="app.keep_awake_while_uploading">
              <Switch
                label={settingNames['app.keep_awake_while_uploading']}
                help="Otherwise this PC sleeps as usual, and uploads continue when it wakes."
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
