import { formatCount, plural } from '../../../shared/format.ts'
import { Button } from '../../components/Button.tsx'
import { ask } from '../../data/ask.ts'
import { useNotices } from '../../data/Notices.tsx'

type Props = {
  readonly ids: ReadonlySet<number>
  readonly total: number | null
  /** A long stretch of the list is being asked for. */
  readonly choosing: boolean
  readonly onClear: () => void
}

/** One line that is always there: how many there are, or what can be done with those chosen. */
export function SelectionBar({ ids, total, choosing, onClear }: Props) {
  const { attempt } = useNotices()
  if (choosing)
    return (
      <div className="selection-bar">
        <span className="quiet" role="status">
          Selecting…
        </span>
      </div>
    )
  if (ids.size === 0)
    return (
      <div className="selection-bar">
        <span className="quiet">{total === null || total === 0 ? ' ' : plural(total, 'recording')}</span>
      </div>
    )

  const chosen = [...ids]
  const many = plural(ids.size, 'recording')
  const [only] = chosen
  return (
    <div className="selection-bar" role="toolbar" aria-label="Selected recordings">
      <strong aria-live="polite">{formatCount(ids.size)} selected</strong>
      <Button
        size="small"
        icon="cycle"
        onPress={() => void attempt(() => ask('retryRecordings', { ids: chosen }), `Trying ${many} again.`)}
      >
        Retry
      </Button>
      <Button
        size="small"
        icon="first"
        onPress={() =>
          void attempt(() => ask('prioritiseRecordings', { ids: chosen }), `${many} moved to the front.`)
        }
      >
        Prioritise
      </Button>
      <Button
        size="small"
        icon="pause"
        onPress={() => void attempt(() => ask('pauseRecordings', { ids: chosen }), `${many} paused.`)}
      >
        Pause
      </Button>
      <Button
        size="small"
        icon="play"
        onPress={() => void attempt(() => ask('resumeRecordings', { ids: chosen }), `${many} resumed.`)}
      >
        Resume
      </Button>
      {ids.size === 1 && only !== undefined && (
        <Button
          size="small"
          icon="folder"
          onPress={() => void attempt(() => ask('showRecording', { id: only }), 'Shown in the file manager.')}
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
