import { afterUploadWords } from '../../../shared/settings/after-upload.ts'
import type { FolderSettings } from '../../../shared/settings/settings.ts'
import type { NightFigures } from '../../../shared/status/night-figures.ts'
import type { FolderStatus } from '../../../shared/status/status.ts'
import { formatAgo, formatCount, plural } from '../../../shared/words/format.ts'
import { Button } from '../../components/Button.tsx'
import { useIsMember } from '../../components/Managed.tsx'
import { sevenNightsWords } from '../../components/night-words.ts'
import { ProblemCard } from '../../components/ProblemCard.tsx'
import { SevenNights } from '../../components/SevenNights.tsx'
import { FolderMark } from '../../components/StateMark.tsx'
import { ask } from '../../data/ask.ts'
import { useNotices } from '../../data/Notices.tsx'
import { useNow } from '../../data/use-now.ts'

type Props = {
  readonly folder: FolderSettings
  readonly status: FolderStatus | null
  readonly isLocked: boolean
  /** The last seven nights of the folder. Empty until they are loaded. */
  readonly nights: readonly NightFigures[]
  readonly onEdit: () => void
  readonly onRemove: () => void
}

const activityWords = (status: FolderStatus, now: number): string =>
  [
    plural(status.recordings, 'recording'),
    ...(status.waiting > 0 ? [`${formatCount(status.waiting)} to upload`] : []),
    ...(status.lastFoundAt === null ? [] : [`last one ${formatAgo(status.lastFoundAt, now)}`]),
  ].join(', ')

export function FolderCard({ folder, status, isLocked, nights, onEdit, onRemove }: Props) {
  const now = useNow()
  const { attempt } = useNotices()
  const isMember = useIsMember()
  const accept = () =>
    void attempt(() => ask('acceptReplacedFolder', { path: folder.path }), 'Sluice now uses this drive.')
  return (
    <article className="card">
      <div className="folder-card-head">
        <h2 className="folder-path">{folder.path}</h2>
        {status === null ? <span className="quiet">Not scanned yet</span> : <FolderMark folder={status} />}
      </div>
      <p className="quiet">
        {folder.site}
        {folder.device !== undefined && ` · ${folder.device}`}
        {status !== null && ` · ${activityWords(status, now)}`}
      </p>
      {folder.after_upload.action !== 'keep' && (
        <p className="quiet folder-rule">{`Each recording is ${afterUploadWords(folder.after_upload)}.`}</p>
      )}
      {nights.length > 0 && (
        <p className="quiet folder-nights">
          <SevenNights nights={nights} />
          {sevenNightsWords(nights)}
        </p>
      )}
      {status?.silence != null && <p>{`${status.silence.sentence} ${status.silence.because}`}</p>}
      {status?.problems.map(({ problem }) => (
        <ProblemCard
          key={problem.code}
          problem={problem}
          folder={folder.path}
          actions={
            problem.code === 'folder-replaced' ? (
              <Button size="small" isDisabled={isMember} onPress={accept}>
                Use this drive
              </Button>
            ) : undefined
          }
        />
      ))}
      <div className="row">
        <Button size="small" icon="edit" isDisabled={isLocked} onPress={onEdit}>
          Change…
        </Button>
        <Button size="small" look="quiet" isDisabled={isLocked} onPress={onRemove}>
          Stop watching…
        </Button>
      </div>
    </article>
  )
}
