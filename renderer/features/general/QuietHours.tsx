import { useState } from 'react'
import { settingNames } from '../../../shared/settings/setting-names.ts'
import { type DraftSettings, settingsSchema } from '../../../shared/settings/settings.ts'
import { Switch, TextField } from '../../components/Fields.tsx'
import { issueOf } from '../../data/field-issues.ts'
import { timeHint } from '../../data/time-hint.ts'

type Hours = NonNullable<DraftSettings['app']['quiet_hours']>
type Props = { readonly hours: Hours | null; readonly onChange: (hours: Hours | undefined) => void }

const usual: Hours = { from: '22:00', to: '07:00' }
const hoursSchema = settingsSchema.shape.app.unwrap().shape.quiet_hours.unwrap()

/** Saves a time once it is complete. An incomplete time stays in its field, which shows an error. */
export function QuietHours({ hours, onChange }: Props) {
  const [typed, setTyped] = useState<Hours | null>(null)
  const shown = typed ?? hours ?? usual
  const change = (next: Hours) => {
    const whole = hoursSchema.safeParse(next).success
    setTyped(whole ? null : next)
    if (whole) onChange(next)
  }
  return (
    <>
      <Switch
        label={settingNames['app.quiet_hours']}
        help="No notifications. They are shown when quiet hours end."
        isSelected={hours !== null}
        onChange={(on) => {
          setTyped(null)
          onChange(on ? usual : undefined)
        }}
      />
      {hours !== null && (
        <div className="field-pair">
          <TextField
            label={settingNames['app.quiet_hours.from']}
            width="short"
            placeholder={usual.from}
            value={shown.from}
            help={timeHint(shown.from)}
            onChange={(from) => change({ ...shown, from })}
            error={issueOf(hoursSchema.shape.from, shown.from)}
          />
          <TextField
            label={settingNames['app.quiet_hours.to']}
            width="short"
            placeholder={usual.to}
            value={shown.to}
            help={timeHint(shown.to)}
            onChange={(to) => change({ ...shown, to })}
            error={issueOf(hoursSchema.shape.to, shown.to)}
          />
        </div>
      )}
    </>
  )
}
