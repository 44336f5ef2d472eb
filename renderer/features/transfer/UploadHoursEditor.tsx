import { ToggleButton, ToggleButtonGroup } from 'react-aria-components'
import { settingNames } from '../../../shared/settings/setting-names.ts'
import { fromFirstWeekday } from '../../../shared/words/format.ts'
import { Button } from '../../components/Button.tsx'
import { TextField } from '../../components/Fields.tsx'
import { useLocked } from '../../components/locked.ts'
import { timeHint } from '../../data/time-hint.ts'
import { limitInBytes, type UploadHoursDraft, type Weekday, weekdays } from './transfer-draft.ts'

type Props = {
  readonly hours: UploadHoursDraft
  readonly number: number
  /** What the hours are for. Only upload hours have a field for a speed limit. */
  readonly name?: 'upload hours' | 'update hours'
  readonly onChange: (hours: UploadHoursDraft) => void
  readonly onRemove: () => void
  readonly errorAt: (field: string) => string | null
}

const endsNextDay = ({ from, to }: UploadHoursDraft) => from !== '' && to !== '' && to <= from

export function UploadHoursEditor(props: Props) {
  const { hours, number, name = 'upload hours', onChange, onRemove, errorAt } = props
  const daysError = errorAt('days')
  const isLocked = useLocked()
  return (
    <fieldset className="window">
      <legend className="visually-hidden">
        {name === 'upload hours' ? 'Upload hours' : 'Update hours'} {number}
      </legend>
      <ToggleButtonGroup
        aria-label="Days"
        isDisabled={isLocked}
        className="segments"
        selectionMode="multiple"
        selectedKeys={hours.days}
        onSelectionChange={(keys) =>
          onChange({ ...hours, days: weekdays.map((day) => day.id).filter((day: Weekday) => keys.has(day)) })
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
          value={hours.from}
          help={timeHint(hours.from)}
          onChange={(from) => onChange({ ...hours, from })}
          error={errorAt('from')}
        />
        <TextField
          placeholder="06:00"
          label={`${settingNames['transfer.windows.to']}${endsNextDay(hours) ? ' (next day)' : ''}`}
          value={hours.to}
          help={timeHint(hours.to)}
          onChange={(to) => onChange({ ...hours, to })}
          error={errorAt('to')}
        />
        {name === 'upload hours' && (
          <TextField
            label={settingNames['transfer.windows.limit_mbit_per_s']}
            placeholder="None"
            unit="Mbit/s"
            inputMode="decimal"
            help={limitInBytes(hours.limit) ?? undefined}
            value={hours.limit}
            onChange={(limit) => onChange({ ...hours, limit })}
            error={errorAt('limit_mbit_per_s')}
          />
        )}
        <Button look="quiet" icon="trash" label={`Remove ${name} ${number}`} onPress={onRemove} />
      </div>
    </fieldset>
  )
}
