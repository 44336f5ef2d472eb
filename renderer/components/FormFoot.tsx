import { Button } from './Button.tsx'

type Props = {
  readonly form: {
    readonly isDirty: boolean
    readonly isSaving: boolean
    readonly isValid: boolean
    readonly failure: string | null
    readonly submit: () => Promise<boolean>
    readonly discard: () => void
  }
}

/**
 * The buttons of a form, and a note about its unsaved changes. While there are changes, the buttons stay visible during
 * scrolling.
 */
export function FormFoot({ form }: Props) {
  return (
    <div className={form.isDirty ? 'form-foot form-foot-unsaved' : 'form-foot'}>
      <Button
        look="primary"
        isDisabled={!form.isDirty || !form.isValid}
        busy={form.isSaving}
        onPress={() => void form.submit()}
      >
        Save
      </Button>
      <Button look="quiet" isDisabled={!form.isDirty} onPress={form.discard}>
        Discard
      </Button>
      <span className={form.failure === null ? 'quiet small' : 'field-error'} role="status">
        {form.failure ?? (form.isDirty ? 'Not saved' : 'No changes')}
      </span>
    </div>
  )
}
