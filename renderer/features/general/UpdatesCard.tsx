import { settingNames } from '../../../shared/settings/setting-names.ts'
import { settingsSchema } from '../../../shared/settings/settings.ts'
import { Button } from '../../components/Button.tsx'
import { Card } from '../../components/Card.tsx'
import { type Choice, Radios } from '../../components/Choices.tsx'
import { TextField } from '../../components/Fields.tsx'
import { FormFoot } from '../../components/FormFoot.tsx'
import { Managed } from '../../components/Managed.tsx'
import { useSettings } from '../../data/SettingsView.tsx'
import { useForm } from '../../data/use-form.ts'
import { newWindow, type UploadHoursDraft } from '../transfer/transfer-draft.ts'
import { UploadHoursEditor } from '../transfer/UploadHoursEditor.tsx'
import { readUpdates, type UpdatesDraft, updatesDraft } from './updates-draft.ts'
import '../transfer/transfer.css'

const schema = settingsSchema.shape.updates

const modes: readonly Choice<UpdatesDraft['mode']>[] = [
  { id: 'off', word: 'Off' },
  { id: 'notify', word: 'Report new versions', help: 'Your administrator installs them.' },
  {
    id: 'automatic',
    word: 'Install new versions',
    help: 'Only by a background service on Windows. On Linux, the package manager installs them.',
  },
]

export function UpdatesCard() {
  const { state } = useSettings()
  const form = useForm({
    stored: updatesDraft(state?.settings.updates ?? schema.parse(undefined)),
    schema,
    section: 'updates',
    read: readUpdates,
    put: (settings, value) => ({ ...settings, updates: value as never }),
  })
  const { draft, change, errorAt } = form
  const changeHours = (hours: readonly UploadHoursDraft[]) => change({ hours })
  return (
    <Card title="Updates">
      <Managed path="updates.mode">
        <Radios
          label={settingNames['updates.mode']}
          choices={modes}
          value={draft.mode}
          onChange={(mode) => change({ mode })}
        />
      </Managed>
      <Managed path="updates.feed">
        <TextField
          label={settingNames['updates.feed']}
          placeholder="https://updates.example.com/sluice/feed.json"
          help="Without a URL, Sluice does not check for updates."
          inputMode="url"
          value={draft.feed}
          onChange={(feed) => change({ feed })}
          error={draft.feed.trim() === '' ? null : errorAt('feed')}
        />
      </Managed>
      {draft.mode !== 'off' && draft.feed.trim() !== '' && (
        <>
          <div className="field-pair">
            <Managed path="updates.channel">
              <TextField
                label={settingNames['updates.channel']}
                width="short"
                value={draft.channel}
                onChange={(channel) => change({ channel })}
                error={errorAt('channel')}
              />
            </Managed>
            <Managed path="updates.version">
              <TextField
                label={settingNames['updates.version']}
                width="short"
                placeholder="The newest"
                value={draft.version}
                onChange={(version) => change({ version })}
                error={draft.version.trim() === '' ? null : errorAt('version')}
              />
            </Managed>
          </div>
          <div className="field-pair">
            <Managed path="updates.percent">
              <TextField
                label={settingNames['updates.percent']}
                width="short"
                unit="%"
                inputMode="numeric"
                help="A larger share includes all stations of a smaller share."
                value={draft.percent}
                onChange={(percent) => change({ percent })}
                error={errorAt('percent')}
              />
            </Managed>
            <Managed path="updates.wait_at_most">
              <TextField
                label={settingNames['updates.wait_at_most']}
                width="short"
                placeholder="24h"
                help="For example 24h, 90m or 3d. After that, Sluice finishes current parts and installs the update."
                value={draft.waitAtMost}
                onChange={(waitAtMost) => change({ waitAtMost })}
                error={errorAt('wait_at_most')}
              />
            </Managed>
          </div>
          <div className="stack">
            <h3>{settingNames['updates.hours']}</h3>
            {draft.hours.length === 0 && <p className="quiet">Updates are installed at any time.</p>}
            <Managed path="updates.hours">
              {draft.hours.map((hours, index) => (
                <UploadHoursEditor
                  // biome-ignore lint/suspicious/noArrayIndexKey: update hours have no identity but their position.
                  key={index}
                  number={index + 1}
                  name="update hours"
                  hours={hours}
                  onChange={(changed) =>
                    changeHours(draft.hours.map((other, position) => (position === index ? changed : other)))
                  }
                  onRemove={() => changeHours(draft.hours.filter((_, position) => position !== index))}
                  errorAt={(field) => errorAt(`hours.${index}.${field}`)}
                />
              ))}
              <div>
                <Button size="small" icon="plus" onPress={() => changeHours([...draft.hours, newWindow])}>
                  Add update hours
                </Button>
              </div>
            </Managed>
          </div>
        </>
      )}
      <FormFoot form={form} />
    </Card>
  )
}
