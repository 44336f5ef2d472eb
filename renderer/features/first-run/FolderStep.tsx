import { Switch } from '../../components/Fields.tsx'
import { FolderField } from '../folders/FolderField.tsx'
import { folderIsRight, useFolderCheck } from '../folders/use-folder-check.ts'
import { BackButton, StepForm } from './StepForm.tsx'
import type { StepProps } from './setup.ts'

export function FolderStep({ setup, change, onNext, onBack }: StepProps) {
  const check = useFolderCheck(setup.path)
  const filesThere = check.phase === 'answered' && check.verdict.ok && check.verdict.files > 0
  return (
    <StepForm
      title="Where does the recorder write?"
      intro="Sluice uploads every finished file in this folder and does not move it. You can add more folders later."
      act="Continue"
      ready={folderIsRight(check)}
      onSubmit={onNext}
      aside={<BackButton onPress={onBack} />}
    >
      <FolderField value={setup.path} onChange={(path) => change({ path })} check={check} autoFocus />
      {filesThere && (
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
