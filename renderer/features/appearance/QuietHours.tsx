import { useState } from 'react'
import type { DraftSettings } from '../../../shared/settings.ts'
import { Switch, TextField } from '../../components/Fields.tsx'

type Hours = NonNullable<DraftSettings['app']['quiet_hours']>
type Props = { readonly hours: Hours | null; readonly onChange: (hours: Hours | undefined) => void }

const usual: Hours = { from: '22:00', to: '07:00' }

/** Half a time is not saved: it stays in the field, with a word about it, until it is whole. */
export function QuietHours({ hours, onChange }: Props) {
  const [typed, setTyped] = useState<Hours | null>(null)
  const shown = typed ?? hours ?? usual
  const change = (next: Hours) => {
    const whole = next.from !== '' && next.to !== ''
    setTyped(whole ? null : next)
    if (whole) onChange(next)
  }
  const missing = (time: string) => (time === '' ? 'Give a time, for example 22:00.' : null)
  return (
    <>
      <Switch
        label="Quiet hours"
        help="No notification appears; what matters is told when they end."
        isSelected={hours !== null}
        onChange={(on) => {
          setTyped(null)
          onChange(on ? usual : undefined)
        }}
      />
      {hours !== null && (
        <div className="field-pair">
          <TextField
            type="time"
            label="Quiet from"
            value={shown.from}
            onChange={(from) => change({ ...shown, from })}
            error={missing(shown.from)}
          />
          <TextField
            type="time"
            label="Quiet until"
            value={shown.to}
            onChange={(to) => change({ ...shown, to })}
            error={missing(shown.to)}
          />
        </div>
      )}
    </>
  )
}
