import { TypedWordDialog } from '../../components/TypedWordDialog.tsx'
import { RemovalPreviewNote } from './RemovalPreviewNote.tsx'

type Props = {
  readonly folders: readonly { readonly path: string; readonly policy: unknown }[]
  readonly onClose: () => void
  readonly onConfirm: () => Promise<void>
}

/** Asks for consent now, because Sluice later deletes files without asking again. */
export function DeletionConsent({ folders, onClose, onConfirm }: Props) {
  return (
    <TypedWordDialog
      title="Let Sluice delete files from this PC?"
      word="delete"
      confirmLabel="Delete from now on"
      onClose={onClose}
      onConfirm={onConfirm}
    >
      <p>
        By the rules of these folders, Sluice deletes recordings that are safe at the service, without asking
        again. They do not go to the recycle bin. This cannot be undone.
      </p>
      {folders.map(({ path, policy }) => (
        <section key={path} className="stack" aria-label={path}>
          <code>{path}</code>
          <RemovalPreviewNote folder={path} policy={policy} />
        </section>
      ))}
    </TypedWordDialog>
  )
}
