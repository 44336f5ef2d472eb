import { formatCount, plural } from '../../../shared/words/format.ts'
import { Button } from '../../components/Button.tsx'
import { ProgressBar } from '../../components/ProgressBar.tsx'
import { ask } from '../../data/ask.ts'
import { useNotices } from '../../data/Notices.tsx'
import { actionWord, actionWords } from './action-words.ts'
import type { Actions } from './use-actions.ts'
import type { RecordingPages } from './use-recording-pages.ts'
import type { useSelection } from './use-selection.ts'

type Props = {
  readonly selection: ReturnType<typeof useSelection>
  readonly actions: Actions
  readonly pages: Pick<RecordingPages, 'total' | 'hasMore'>
  readonly onClear: () => void
}

/** "1,000+" if the list cannot show all recordings that match. */
const countOf = (total: number, hasMore: boolean): string => `${formatCount(total)}${hasMore ? '+' : ''}`

const listedText = (total: number, hasMore: boolean): string =>
  hasMore
    ? `${countOf(total, true)} recordings, newest ${formatCount(total)} listed`
    : plural(total, 'recording')

function RunningAction({ running }: { readonly running: NonNullable<Actions['running']> }) {
  const { action, progress } = running
  const words =
    progress === null
      ? `${actionWords[action].word}…`
      : `${actionWords[action].word}: ${formatCount(progress.done)} of ${formatCount(progress.total)}`
  return (
    <div className="selection-bar">
      <span className="quiet" role="status">
        {words}
      </span>
      <span className="selection-progress">
        <ProgressBar label="Done" value={progress === null ? 0 : progress.done / progress.total} />
      </span>
    </div>
  )
}

/** Shows the running action with its progress, or the actions for the selection, or the number of recordings. */
export function SelectionBar({ selection, actions, pages, onClear }: Props) {
  const { total, hasMore } = pages
  const { attempt } = useNotices()
  const { count, target, onlyRow, offeredActions, isSelecting } = selection
  if (actions.running !== null) return <RunningAction running={actions.running} />
  if (isSelecting)
    return (
      <div className="selection-bar">
        <span className="quiet" role="status">
          Selecting…
        </span>
      </div>
    )
  if (count === 0)
    return (
      <div className="selection-bar selection-none">
        <span className="quiet">{total === null || total === 0 ? ' ' : listedText(total, hasMore)}</span>
      </div>
    )

  return (
    <div className="selection-bar" role="toolbar" aria-label="Selected recordings">
      <strong aria-live="polite">{countOf(count, hasMore && selection.isMatching)} selected</strong>
      {offeredActions.map((action) => (
        <Button
          key={action}
          size="small"
          icon={actionWords[action].icon}
          onPress={() => void actions.run(action, target)}
        >
          {onlyRow === null ? actionWords[action].word : actionWord(action, onlyRow)}
        </Button>
      ))}
      {onlyRow !== null && (
        <Button
          size="small"
          icon="folder"
          onPress={() =>
            void attempt(() => ask('showRecording', { id: onlyRow.id }), 'Shown in the file manager.')
          }
        >
          Show in folder
        </Button>
      )}
      <Button size="small" look="quiet" onPress={onClear}>
        Clear
      </Button>
    </div>
  )
}

/** After the user has selected the visible page, offers to select all matches. */
export function SelectAllLine({ selection, pages }: Pick<Props, 'selection' | 'pages'>) {
  const { total, hasMore } = pages
  const { count, isWholePage, isMatching, selectAllMatching, clear } = selection
  if (total === null) return null
  if (isMatching)
    return (
      <p className="select-all" role="status">
        All {hasMore ? `${countOf(total, true)} recordings` : plural(total, 'recording')} that match are
        selected, including those not shown.
        <Button look="quiet" size="small" onPress={clear}>
          Clear selection
        </Button>
      </p>
    )
  if (!isWholePage || count === 0 || count >= total) return null
  return (
    <p className="select-all" role="status">
      All {formatCount(count)} on this page are selected.
      <Button look="quiet" size="small" onPress={selectAllMatching}>
        {`Select all ${countOf(total, hasMore)} that match`}
      </Button>
    </p>
  )
}
