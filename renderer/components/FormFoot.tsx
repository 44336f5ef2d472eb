import { Button } from './Button.tsx'

type Props = {
  readonly form: {
    readonly dirty: boolean
    readonly busy: boolean
    readonly valid: boolean
    readonly failure: string | null
    readonly submit: () => Promise<boolean>
    readonly discard: () => void
  }
}

/** The buttons of a form. They are always visible and show whether there are unsaved changes. */
export function FormFoot({ form }: Props) {
  return (
    <div className={form.dirty ? 'form-foot form-foot-unsaved' : 'form-foot'}>
      <Button
        look="primary"
        isDisabled={!form.dirty || !form.valid}
        busy={form.busy}
        onPress={() => void form.submit()}
      >
        Save
      </Button>
      <Button look="quiet" isDisabled={!form.dirty} onPress={form.discard}>
        Discard
      </Button>
      <span className={form.failure === null ? 'quiet small' : 'field-error'} role="status">
        {form.failure ?? (form.dirty ? 'Not saved' : 'No changes')}
      </span>
    </div>
  )
}
