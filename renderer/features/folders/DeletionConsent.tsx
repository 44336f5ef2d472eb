import { TypedWordDialog } from '../../components/TypedWordDialog.tsx'
import { RemovalPreviewNote } from './RemovalPreviewNote.tsx'

type Props = {
  readonly folder: string
  readonly policy: unknown
  readonly onClose: () => void
  readonly onConfirm: () => Promise<void>
}

/** From then on files go without anybody being asked: that is agreed to once, in so many words. */
export function DeletionConsent({ folder, policy, onClose, onConfirm }: Props) {
  return (
    <TypedWordDialog
      title="Let Sluice delete files from this PC?"
      word="delete"
      act="Delete from now on"
      onClose={onClose}
      onConfirm={onConfirm}
    >
      <p>
        <code>{folder}</code>
      </p>
      <p>
        Recordings that are safe at the service are deleted here as these rules say, without asking again.
        They do not go to the waste bin, and it cannot be undone.
      </p>
      <RemovalPreviewNote folder={folder} policy={policy} />
    </TypedWordDialog>
  )
}
