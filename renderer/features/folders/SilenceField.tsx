import type { FolderSettings } from '../../../shared/settings.ts'
import { type Choice, Radios } from '../../components/Choices.tsx'

type Silence = FolderSettings['silence']

const choices: readonly Choice<Silence>[] = [
  { id: 'off', word: 'Say nothing' },
  { id: 'gentle', word: 'Show it', help: 'A card on the overview, and a mark on the folder.' },
  { id: 'loud', word: 'Raise an alarm', help: 'Also the headline, the tray and a notification.' },
]

type Props = { readonly value: Silence; readonly onChange: (value: Silence) => void }

/** What is to happen when the folder usually records by now and does not. */
export function SilenceField({ value, onChange }: Props) {
  const label = 'When it falls silent'
  return (
    <div className="field">
      <span className="field-label">{label}</span>
      <span className="field-help">
        Sluice learns when this folder usually records, and notices when nothing comes.
      </span>
      <Radios label={label} choices={choices} value={value} onChange={onChange} />
    </div>
  )
}
