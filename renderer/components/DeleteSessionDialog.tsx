import { plural } from '../../shared/words/format.ts'
import { ask } from '../data/ask.ts'
import { useNotices } from '../data/Notices.tsx'
import { TypedWordDialog } from './TypedWordDialog.tsx'

type Props = {
  readonly id: string
  readonly filename: string
  readonly segments: number | null
  /** The path of the local file, if this station has it. */
  readonly localFile: string | null
  readonly onClose: () => void
  readonly onDeleted: () => void
}

export function DeleteSessionDialog({ id, filename, segments, localFile, onClose, onDeleted }: Props) {
  const { showSuccess } = useNotices()
  const confirm = async () => {
    await ask('deleteSession', { id, typed: 'delete' })
    showSuccess(`${filename} is deleted at the service.`)
    onDeleted()
  }
  return (
    <TypedWordDialog
      title={`Delete ${filename} at the service?`}
      word="delete"
      confirmLabel="Delete for good"
      onClose={onClose}
      onConfirm={confirm}
    >
      <p>This deletes session {id} for everyone in your organisation:</p>
      <ul className="bullets">
        <li>the uploaded recording itself;</li>
        <li>
          {segments === null ? 'its segments' : `its ${plural(segments, 'segment')}`}, assets and cached
          exports.
        </li>
      </ul>
      <p>
        This cannot be undone. Anything built from those segments will have gaps.{' '}
        {localFile === null
          ? 'Sluice does not know whether another copy exists.'
          : 'The file on this PC stays.'}
      </p>
    </TypedWordDialog>
  )
}
