import { settingNames } from '../../../shared/settings/setting-names.ts'
import type { FolderSettings } from '../../../shared/settings/settings.ts'
import { type Choice, Radios } from '../../components/Choices.tsx'

type Reaction = FolderSettings['on_deviation']

const choices: readonly Choice<Reaction>[] = [
  { id: 'off', word: 'Ignore' },
  { id: 'warn', word: 'Report and upload' },
  { id: 'hold', word: 'Report and wait', help: 'Uploads the recording only after you decide.' },
]

type Props = { readonly value: Reaction; readonly onChange: (value: Reaction) => void }

/** What Sluice does with a recording whose content is not as expected or not as usual. */
export function DeviationField({ value, onChange }: Props) {
  const label = settingNames['folders.on_deviation']
  return (
    <div className="field">
      <span className="field-label">{label}</span>
      <span className="field-help">Sluice learns what this folder usually holds.</span>
      <Radios label={label} choices={choices} value={value} onChange={onChange} />
    </div>
  )
}
