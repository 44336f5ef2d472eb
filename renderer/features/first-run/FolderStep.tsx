import { Button } from '../../components/Button.tsx'
import { Switch } from '../../components/Fields.tsx'
import { ask } from '../../data/ask.ts'
import { useNotices } from '../../data/Notices.tsx'
import { FolderField } from '../folders/FolderField.tsx'
import { isFolderUsable, useFolderCheck } from '../folders/use-folder-check.ts'
import { BackButton, StepForm } from './StepForm.tsx'
import type { StepProps } from './setup.ts'

export function FolderStep({ setup, change, onNext, onBack }: StepProps) {
  const check = useFolderCheck(setup.path)
  const { failed } = useNotices()
  const hasFiles = check.phase === 'answered' && check.verdict.ok && check.verdict.files > 0
  const createSamples = async () => {
    try {
      change({ path: await ask('makeSampleFolder') })
    } catch (reason) {
      failed(reason)
    }
  }
  return (
    <StepForm
      title="Where does the recorder write?"
      intro="Sluice uploads every finished file in this folder and does not move it. You can add more folders later."
      submitLabel="Continue"
      isReady={isFolderUsable(check)}
      onSubmit={onNext}
      aside={<BackButton onPress={onBack} />}
    >
      <FolderField value={setup.path} onChange={(path) => change({ path })} check={check} autoFocus />
      {setup.sandbox && setup.path === '' && (
        <div>
          <Button icon="folder" onPress={() => void createSamples()}>
            Use sample recordings
          </Button>
        </div>
      )}
      {hasFiles && (
        <Switch
          label="Skip existing files"
          help="Upload only new files."
          isSelected={setup.ignoreExisting}
          onChange={(ignoreExisting) => change({ ignoreExisting })}
        />
      )}
    </StepForm>
  )
}
