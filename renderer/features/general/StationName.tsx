import { useState } from 'react'
import { settingNames } from '../../../shared/settings/setting-names.ts'
import { settingsSchema } from '../../../shared/settings/settings.ts'
import { Button } from '../../components/Button.tsx'
import { TextField } from '../../components/Fields.tsx'
import { issueOf } from '../../data/field-issues.ts'

const nameSchema = settingsSchema.shape.app.unwrap().shape.station_name.unwrap()

type Props = {
  readonly name: string | null
  /** The default name. */
  readonly hostName: string
  readonly onChange: (name: string | undefined) => void
}

export function StationName({ name, hostName, onChange }: Props) {
  const [typed, setTyped] = useState(name ?? '')
  const wanted = typed.trim()
  const issue = wanted === '' ? null : issueOf(nameSchema, wanted)
  return (
    <>
      <TextField
        label={settingNames['app.station_name']}
        placeholder={hostName}
        help="Shown in the window, tray, notifications and reports. Default: the name of this PC."
        value={typed}
        onChange={setTyped}
        error={issue}
      />
      <div className="row">
        <Button
          isDisabled={issue !== null || wanted === (name ?? '')}
          onPress={() => onChange(wanted === '' ? undefined : wanted)}
        >
          Save name
        </Button>
      </div>
    </>
  )
}
