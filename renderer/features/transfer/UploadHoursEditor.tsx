import { ToggleButton, ToggleButtonGroup } from 'react-aria-components'
import { settingNames } from '../../../shared/settings/setting-names.ts'
import { fromFirstWeekday } from '../../../shared/words/format.ts'
import { Button } from '../../components/Button.tsx'
import { TextField } from '../../components/Fields.tsx'
import { useLocked } from '../../components/Managed.tsx'
import { timeHint } from '../../data/time-hint.ts'
import { limitInBytes, type Weekday, type WindowDraft, weekdays } from './transfer-draft.ts'

type Props = {
  readonly window: WindowDraft
  readonly number: number
  readonly onChange: (window: WindowDraft) => void
  readonly onRemove: () => void
  readonly errorAt: (field: string) => string | null
}

const endsNextDay = ({ from, to }: WindowDraft) => from !== '' && to !== '' && to <= from

export function WindowEditor({ window, number, onChange, onRemove, errorAt }: Props) {
  const daysError = errorAt('days')
  const isLocked = useLocked()
  return (
    <fieldset className="window">
      <legend className="visually-hidden">Upload hours {number}</legend>
      <ToggleButtonGroup
        aria-label="Days"
        isDisabled={isLocked}
        className="segments"
        selectionMode="multiple"
        selectedKeys={window.days}
        onSelectionChange={(keys) =>
          onChange({ ...window, days: weekdays.map((day) => day.id).filter((day: Weekday) => keys.has(day)) })
        }
      >
        {fromFirstWeekday(weekdays).map((day) => (
          <ToggleButton key={day.id} id={day.id} className="segment">
            {day.word}
          </ToggleButton>
        ))}
      </ToggleButtonGroup>
      {daysError !== null && <p className="field-error">{daysError}</p>}
      <div className="window-fields">
        <TextField
          placeholder="18:00"
          label={settingNames['transfer.windows.from']}
          value={window.from}
          help={timeHint(window.from)}
          onChange={(from) => onChange({ ...window, from })}
          error={errorAt('from')}
        />
        <TextField
          placeholder="06:00"
          label={`${settingNames['transfer.windows.to']}${endsNextDay(window) ? ' (next day)' : ''}`}
          value={window.to}
          help={timeHint(window.to)}
          onChange={(to) => onChange({ ...window, to })}
          error={errorAt('to')}
        />
        <TextField
          label={settingNames['transfer.windows.limit_mbit_per_s']}
          placeholder="None"
          unit="Mbit/s"
          inputMode="decimal"
          help={limitInBytes(window.limit) ?? undefined}
          value={window.limit}
          onChange={(limit) => onChange({ ...window, limit })}
          error={errorAt('limit_mbit_per_s')}
        />
        <Button look="quiet" icon="trash" label={`Remove upload hours ${number}`} onPress={onRemove} />
      </div>
    </fieldset>
  )
}
