import { type ReactNode, useState } from 'react'
import { sentenceOf } from '../data/shown-error.ts'
import { Banner } from './Banner.tsx'
import { Button } from './Button.tsx'
import { Dialog } from './Dialog.tsx'
import { TextField } from './Fields.tsx'

type Props = {
  readonly title: string
  readonly word: string
  readonly confirmLabel: string
  readonly children: ReactNode
  readonly onClose: () => void
  readonly onConfirm: () => Promise<void>
}

/** A dialog for actions that cannot be undone. The action runs only after the user types the word. */
export function TypedWordDialog({ title, word, confirmLabel, children, onClose, onConfirm }: Props) {
  const [typedText, setTypedText] = useState('')
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const matches = typedText.trim().toLowerCase() === word

  const confirm = async () => {
    setBusy(true)
    setError(null)
    try {
      await onConfirm()
      onClose()
    } catch (reason) {
      setError(sentenceOf(reason))
      setBusy(false)
    }
  }

  return (
    <Dialog
      isOpen
      role="alertdialog"
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button look="danger" isDisabled={!matches} busy={busy} onPress={() => void confirm()}>
            {confirmLabel}
          </Button>
        </>
      }
    >
      {children}
      <TextField
        label={`Type “${word}” to continue`}
        value={typedText}
        onChange={setTypedText}
        width="short"
        autoFocus
        error={
          typedText !== '' && !word.startsWith(typedText.trim().toLowerCase()) ? `Type “${word}”.` : null
        }
      />
      {error !== null && <Banner tone="bad">{error}</Banner>}
    </Dialog>
  )
}
