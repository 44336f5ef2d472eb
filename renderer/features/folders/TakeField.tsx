import { settingNames } from '../../../shared/settings/setting-names.ts'
import type { FolderSettings } from '../../../shared/settings/settings.ts'
import { type TakeLayout, temporaryFiles } from '../../../shared/settings/take-layouts.ts'
import { Banner } from '../../components/Banner.tsx'
import { Button } from '../../components/Button.tsx'
import { type Choice, Radios } from '../../components/Choices.tsx'
import type { FolderCheck } from './use-folder-check.ts'

type Take = FolderSettings['take']

const choices: readonly Choice<Take>[] = [
  { id: 'file', word: 'One file' },
  { id: 'folder', word: 'One folder', help: 'All files of each subfolder belong together.' },
  { id: 'split', word: 'Numbered files', help: 'Files such as run_0.mcap and run_1.mcap belong together.' },
]

type Props = {
  readonly value: Take
  readonly onChange: (value: Take) => void
  /** Called when the user accepts the proposal to treat folders as takes. */
  readonly onAccept: (layout: TakeLayout) => void
  readonly check: FolderCheck
  readonly error: string | null
}

/**
 * Asks which files form one take. Proposes `folder` if the check of a new folder recognises takes in its subfolders.
 */
export function TakeField({ value, onChange, onAccept, check, error }: Props) {
  const label = settingNames['folders.take']
  const layout = check.phase === 'answered' && check.verdict.ok ? check.verdict.takeLayout : null
  return (
    <div className="field">
      <span className="field-label">{label}</span>
      <span className="field-help">Sluice uploads and removes the files of a take together.</span>
      {layout !== null && value !== 'folder' && (
        <Banner
          tone="quiet"
          action={<Button onPress={() => onAccept(layout)}>Treat folders as takes</Button>}
        >
          Each folder here looks like one {layout} {layout === 'rosbag2' ? 'recording' : 'dataset'}.
          {temporaryFiles[layout].length > 0 && ' Sluice will skip its temporary images.'}
        </Banner>
      )}
      <Radios label={label} choices={choices} value={value} onChange={onChange} />
      {error !== null && <span className="field-error">{error}</span>}
    </div>
  )
}
