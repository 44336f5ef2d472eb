import type { AfterUpload } from '../../../shared/settings/after-upload.ts'
import { settingNames } from '../../../shared/settings/setting-names.ts'
import { Button } from '../../components/Button.tsx'
import { type Choice, Radios } from '../../components/Choices.tsx'
import { TextField } from '../../components/Fields.tsx'
import { ask } from '../../data/ask.ts'
import { useNotices } from '../../data/Notices.tsx'
import { type AfterUploadDraft, readAfterUpload } from './after-upload-draft.ts'
import { RemovalPreviewNote } from './RemovalPreviewNote.tsx'

const choices: readonly Choice<AfterUpload['action']>[] = [
  { id: 'keep', word: 'Keep it', help: 'The file stays in its folder.' },
  {
    id: 'move',
    word: 'Move it',
    help: 'To another folder, with the same subfolders. Nothing is overwritten.',
  },
  { id: 'delete', word: 'Delete it', help: 'From this PC. The service keeps the recording.' },
]

type Props = {
  readonly folder: string
  readonly draft: AfterUploadDraft
  readonly onChange: (part: Partial<AfterUploadDraft>) => void
  readonly errorAt: (field: 'to' | 'days' | 'keep_free_bytes') => string | null
}

/** The rule for a file after the service has processed it. */
export function AfterUploadField({ folder, draft, onChange, errorAt }: Props) {
  const label = settingNames['folders.after_upload']
  const { showError } = useNotices()
  const pick = async () => {
    try {
      const to = await ask('pickFolder')
      if (to !== null) onChange({ to })
    } catch (reason) {
      showError(reason)
    }
  }
  return (
    <div className="field">
      <span className="field-label">{label}</span>
      <span className="field-help">
        Sluice removes a file only after the service confirms an identical copy.
      </span>
      <Radios
        label={label}
        choices={choices}
        value={draft.action}
        onChange={(action) => onChange({ action })}
      />
      {draft.action !== 'keep' && (
        <div className="stack">
          {draft.action === 'move' && (
            <TextField
              label={settingNames['folders.after_upload.to']}
              help="An existing folder outside all watched folders."
              value={draft.to}
              onChange={(to) => onChange({ to })}
              error={draft.to === '' ? null : errorAt('to')}
              action={<Button onPress={() => void pick()}>Choose…</Button>}
            />
          )}
          <div className="field-pair">
            <TextField
              label={settingNames['folders.after_upload.days']}
              unit="days"
              inputMode="numeric"
              value={draft.days}
              onChange={(days) => onChange({ days })}
              error={errorAt('days')}
            />
            <TextField
              label={`${draft.action === 'move' ? 'Move' : 'Delete'} earlier if free space drops below`}
              unit="GB"
              inputMode="decimal"
              placeholder="Never"
              help="Starts with the oldest files."
              value={draft.keepFreeGb}
              onChange={(keepFreeGb) => onChange({ keepFreeGb })}
              error={errorAt('keep_free_bytes')}
            />
          </div>
          <div role="status">
            <RemovalPreviewNote folder={folder} policy={readAfterUpload(draft)} />
          </div>
        </div>
      )}
    </div>
  )
}
