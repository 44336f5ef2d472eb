import { recordingActions, type TakeDetail } from '../../../shared/status/status.ts'
import { formatBytes, formatMoment, plural } from '../../../shared/words/format.ts'
import { Button } from '../../components/Button.tsx'
import { CopyValue } from '../../components/CopyValue.tsx'
import { Facts } from '../../components/Facts.tsx'
import { LoadingRows, Placeholder } from '../../components/Placeholder.tsx'
import { ProblemCard } from '../../components/ProblemCard.tsx'
import { SidePane } from '../../components/SidePane.tsx'
import { RecordingMark } from '../../components/StateMark.tsx'
import { ask } from '../../data/ask.ts'
import { useNotices } from '../../data/Notices.tsx'
import { useLoad } from '../../data/use-load.ts'
import { useNow } from '../../data/use-now.ts'
import { useRefreshTick } from '../../data/use-refresh-tick.ts'
import { actionWord, actionWords } from './action-words.ts'
import { RowProgress, StageProgress } from './RecordingCells.tsx'
import type { Actions } from './use-actions.ts'
import './take-pane.css'

function ActionButtons({ take, actions }: { readonly take: TakeDetail; readonly actions: Actions }) {
  const { attempt, showSuccess, showError } = useNotices()
  const { row, ids, targets } = take
  const needsAttention = row.standing === 'needs-attention'
  return (
    <div className="row">
      {recordingActions
        .filter((action) => targets[action].length > 0)
        .map((action) => (
          <Button
            key={action}
            look={needsAttention && action === 'retry' ? 'primary' : 'plain'}
            icon={actionWords[action].icon}
            isDisabled={actions.running !== null}
            onPress={() => void actions.run(action, { ids: [...targets[action]] })}
          >
            {actionWord(action, row)}
          </Button>
        ))}
      {row.removedAt === null && (
        <Button
          icon="folder"
          onPress={() =>
            void attempt(() => ask('showRecording', { id: row.id }), 'Shown in the file manager.')
          }
        >
          Show in folder
        </Button>
      )}
      <Button
        onPress={() =>
          void ask('saveReceipt', { of: { ids: [...ids] } })
            .then((saved) => saved !== null && showSuccess(`Receipt saved as ${saved.path}`))
            .catch(showError)
        }
      >
        Save a receipt…
      </Button>
    </div>
  )
}

type ContentProps = {
  readonly take: TakeDetail
  readonly actions: Actions
  readonly onOpenFile: (id: number) => void
}

function Content({ take, actions, onOpenFile }: ContentProps) {
  const now = useNow()
  const { row, files } = take
  const count = row.wholeTake?.files ?? files.length
  const facts = [
    { name: 'Take', value: <CopyValue name="path" value={row.path} /> },
    { name: 'Size', value: formatBytes(row.bytes) },
    { name: 'Found', value: formatMoment(row.foundAt, now) },
    { name: 'Site', value: row.site },
  ]
  return (
    <>
      <div className="pane-state">
        <RecordingMark row={row} />
        <StageProgress row={row} />
        <span className="quiet small">
          {row.wholeTake?.safe ?? 0} of {plural(count, 'file')} safe
        </span>
      </div>
      {row.problem !== null && (
        <ProblemCard
          problem={row.problem}
          affectedRecordings={{
            count: 1,
            ids: files.filter(({ problem }) => problem !== null).map(({ id }) => id),
          }}
          heldSince={row.heldSince}
        />
      )}
      <ActionButtons take={take} actions={actions} />
      <section className="pane-section">
        <h3>Files</h3>
        <ul className="take-files">
          {files.map((file) => (
            <li key={file.id}>
              <button type="button" className="take-file" onClick={() => onOpenFile(file.id)}>
                <span className="take-file-line">
                  <span className="truncate" title={file.path}>
                    {file.name}
                  </span>
                  <span className="number quiet small">{formatBytes(file.bytes)}</span>
                </span>
                <span className="take-file-state small">
                  <RecordingMark row={file} />
                  {(file.standing !== 'safe' || file.removedAt !== null) && <RowProgress row={file} />}
                </span>
              </button>
            </li>
          ))}
        </ul>
        {files.length < count && (
          <p className="quiet small">And {plural(count - files.length, 'more file')}.</p>
        )}
      </section>
      <section className="pane-section">
        <h3>Take</h3>
        <Facts facts={facts} />
      </section>
    </>
  )
}

type Props = {
  /** The ID of any file of the take. */
  readonly id: number
  readonly actions: Actions
  readonly onOpenFile: (id: number) => void
  readonly onClose: () => void
}

/** The details of a take: one state, one progress, one receipt, and its files. */
export function TakePane({ id, actions, onOpenFile, onClose }: Props) {
  const tick = useRefreshTick(1_000)
  const { data, error } = useLoad(`${id} ${tick}`, async () => ({ take: await ask('getTake', { id }) }))
  const take = data?.take ?? null
  return (
    <SidePane title={take?.row.name ?? 'Take'} onClose={onClose}>
      {take !== null ? (
        <Content take={take} actions={actions} onOpenFile={onOpenFile} />
      ) : error !== null ? (
        <Placeholder icon="offline" title="Unavailable right now" text={error} />
      ) : data === null ? (
        <LoadingRows rows={6} label="Loading" />
      ) : (
        <Placeholder icon="gone" title="No longer a take" text="Its files are listed separately." />
      )}
    </SidePane>
  )
}
