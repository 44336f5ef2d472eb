import { useState } from 'react'
import { settingNames } from '../../../shared/settings/setting-names.ts'
import { settingsSchema } from '../../../shared/settings/settings.ts'
import { Button } from '../../components/Button.tsx'
import { TextField } from '../../components/Fields.tsx'
import { issueOf } from '../../data/field-issues.ts'

const nameSchema = settingsSchema.shape.app.unwrap().shape.station_name.unwrap()

type Props = {
  readonly name: string | null
  /** The name that the station uses now: the default name if `name` is null. */
  readonly currentName: string
  readonly onChange: (name: string | undefined) => void
}

export function StationName({ name, currentName, onChange }: Props) {
  const [typedName, setTypedName] = useState(name ?? '')
  const newName = typedName.trim()
  const issue = newName === '' ? null : issueOf(nameSchema, newName)
  return (
    <>
      <TextField
        label={settingNames['app.station_name']}
        placeholder={name === null ? currentName : ''}
        help="Shown in the window, tray, notifications and reports. Default: the name of this PC."
        value={typedName}
        onChange={setTypedName}
        error={issue}
      />
      <div className="row">
        <Button
          isDisabled={issue !== null || newName === (name ?? '')}
          onPress={() => onChange(newName === '' ? undefined : newName)}
        >
          Save name
        </Button>
      </div>
    </>
  )
}
