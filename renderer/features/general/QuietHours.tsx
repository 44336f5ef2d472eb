import { useState } from 'react'
import { settingNames } from '../../../shared/settings/setting-names.ts'
import { type DraftSettings, settingsSchema } from '../../../shared/settings/settings.ts'
import { Switch, TextField } from '../../components/Fields.tsx'
import { issueOf } from '../../data/field-issues.ts'
import { timeHint } from '../../data/time-hint.ts'

type Hours = NonNullable<DraftSettings['app']['quiet_hours']>
type Props = { readonly hours: Hours | null; readonly onChange: (hours: Hours | undefined) => void }

const defaultHours: Hours = { from: '22:00', to: '07:00' }
const hoursSchema = settingsSchema.shape.app.unwrap().shape.quiet_hours.unwrap()

/** Saves a time once it is complete. An incomplete time stays in its field, which shows an error. */
export function QuietHours({ hours, onChange }: Props) {
  const [incompleteHours, setIncompleteHours] = useState<Hours | null>(null)
  const shownHours = incompleteHours ?? hours ?? defaultHours
  const change = (next: Hours) => {
    const isComplete = hoursSchema.safeParse(next).success
    setIncompleteHours(isComplete ? null : next)
    if (isComplete) onChange(next)
  }
  return (
    <>
      <Switch
        label={settingNames['app.quiet_hours']}
        help="Sluice shows notifications only after the quiet hours."
        isSelected={hours !== null}
        onChange={(on) => {
          setIncompleteHours(null)
          onChange(on ? defaultHours : undefined)
        }}
      />
      {hours !== null && (
        <div className="field-pair">
          <TextField
            label={settingNames['app.quiet_hours.from']}
            width="short"
            placeholder={defaultHours.from}
            value={shownHours.from}
            help={timeHint(shownHours.from)}
            onChange={(from) => change({ ...shownHours, from })}
            error={issueOf(hoursSchema.shape.from, shownHours.from)}
          />
          <TextField
            label={settingNames['app.quiet_hours.to']}
            width="short"
            placeholder={defaultHours.to}
            value={shownHours.to}
            help={timeHint(shownHours.to)}
            onChange={(to) => change({ ...shownHours, to })}
            error={issueOf(hoursSchema.shape.to, shownHours.to)}
          />
        </div>
      )}
    </>
  )
}
