import { settingNames } from '../../../shared/settings/setting-names.ts'
import type { FolderSettings } from '../../../shared/settings/settings.ts'
import { type Choice, Radios } from '../../components/Choices.tsx'

type Silence = FolderSettings['silence']

const choices: readonly Choice<Silence>[] = [
  { id: 'off', word: 'Ignore' },
  { id: 'gentle', word: 'Show on Overview', help: 'Shows a card, and marks the folder.' },
  {
    id: 'loud',
    word: 'Raise an alarm',
    help: 'Also changes the headline and the tray, and shows a notification.',
  },
]

type Props = { readonly value: Silence; readonly onChange: (value: Silence) => void }

/** What Sluice does if a folder has no recordings at a time when it usually has some. */
export function SilenceField({ value, onChange }: Props) {
  const label = settingNames['folders.silence']
  return (
    <div className="field">
      <span className="field-label">{label}</span>
      <span className="field-help">Sluice learns when recordings usually arrive in this folder.</span>
      <Radios label={label} choices={choices} value={value} onChange={onChange} />
    </div>
  )
}
