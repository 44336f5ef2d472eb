// biome-ignore-all lint/a11y: a table element cannot hold a hundred thousand rows, and this ARIA grid holds the focus.
import { removedFileWords } from '../../../shared/settings/after-upload.ts'
import { problemNeedsAttention } from '../../../shared/status/problem.ts'
import type { RecordingRow } from '../../../shared/status/status.ts'
import { formatBytes, formatEta, formatMoment, formatRate, plural } from '../../../shared/words/format.ts'
import { Icon } from '../../components/Icon.tsx'
import { ProgressBar } from '../../components/ProgressBar.tsx'
import { RecordingMark } from '../../components/StateMark.tsx'
import { useAgent } from '../../data/AgentView.tsx'
import { useNow } from '../../data/use-now.ts'

const shareOf = (part: number, whole: number) => (whole === 0 ? 0 : part / whole)

/** Uses the same time left as Overview, so that both agree. */
function UploadWords({ row }: { readonly row: RecordingRow }) {
  const secondsLeft = useAgent().status?.transfer.uploads.find(({ id }) => id === row.id)?.secondsLeft
  const words = [
    ...(row.bytesPerSecond === null ? [] : [formatRate(row.bytesPerSecond)]),
    ...(secondsLeft == null ? [] : [formatEta(secondsLeft)]),
  ]
  return row.paused || row.problem !== null || words.length === 0
    ? `${formatBytes(row.bytesSent)} of ${formatBytes(row.bytes)} uploaded`
    : words.join(' · ')
}

/** Shows where the file is now. A path after a move may be cut off, so the tooltip shows it in full. */
function FileLocation({ row }: { readonly row: RecordingRow }) {
  const words = removedFileWords(row, useNow()) ?? 'Safe at the service'
  return (
    <span className="quiet small truncate" title={row.movedTo ?? undefined}>
      {words}
    </span>
  )
}

/** A file of a take waits until all files of the take are finished. */
const growingWords = ({ waitsFor, wholeTake, settlesAt }: RecordingRow): string => {
  if (waitsFor !== null) return `Waiting for ${waitsFor}`
  if (wholeTake?.isReopened === true) return 'A file was added or changed later'
  return settlesAt === null ? 'Still being written' : 'Uploads if it stays unchanged'
}

/** The progress of the current stage, even of a recording on hold. */
export function StageProgress({ row }: { readonly row: RecordingRow }) {
  const isStopped = row.paused || row.problem !== null
  switch (row.state) {
    case 'uploading':
      return (
        <span className="row-progress">
          <ProgressBar
            label={`${row.name} uploaded`}
            value={shareOf(row.bytesSent, row.bytes)}
            tone={isStopped ? 'quiet' : 'busy'}
          />
          <span className="quiet small truncate">
            <UploadWords row={row} />
          </span>
        </span>
      )
    case 'hashing':
      return (
        <span className="row-progress">
          <ProgressBar
            label={`${row.name} checked`}
            value={shareOf(row.bytesHashed, row.bytes)}
            tone="quiet"
          />
          <span className="quiet small truncate">
            {formatBytes(row.bytesHashed)} of {formatBytes(row.bytes)} checked
          </span>
        </span>
      )
    case 'growing':
      return <span className="quiet small truncate">{growingWords(row)}</span>
    case 'completing':
    case 'processing':
      return <span className="quiet small truncate">Uploaded; the service is processing it</span>
    case 'queued':
    case 'ready':
      return (
        <span className="quiet small truncate">
          {row.problem === null ? 'Waiting in the queue' : 'Nothing uploaded yet'}
        </span>
      )
    case 'processed':
      return <FileLocation row={row} />
    case 'failed':
    case 'gone':
      return null
  }
}

/** Shows the problem if there is one, otherwise the progress. A problem that needs no attention gets a quiet colour. */
export function RowProgress({ row }: { readonly row: RecordingRow }) {
  if (row.problem === null) return <StageProgress row={row} />
  return (
    <span
      className={problemNeedsAttention(row.problem) ? 'row-reason small' : 'row-reason quiet small'}
      title={row.problem.sentence}
    >
      {row.problem.sentence}
    </span>
  )
}

/** The number of files of a whole take. For a single file, the name of its take. */
const takeWords = ({ take, wholeTake }: RecordingRow): string => {
  if (wholeTake !== null) return `${plural(wholeTake.files, 'file')} · `
  return take === null ? '' : `Take ${take} · `
}

export function RowCells({ row, now }: { readonly row: RecordingRow; readonly now: number }) {
  return (
    <>
      <span role="gridcell" className="cell-name">
        <span className="cell-name-line">
          {row.prioritised && (
            <span className="tone-busy" title="First in queue">
              <Icon name="first" size={14} />
              <span className="visually-hidden">First in queue: </span>
            </span>
          )}
          {row.wholeTake !== null && <Icon name="folder" size={14} />}
          <span className="truncate" title={row.path}>
            {row.name}
          </span>
        </span>
        <span className="cell-name-place quiet small truncate">
          {takeWords(row)}
          {row.site} · {row.folder}
        </span>
      </span>
      <span role="gridcell" className="cell-state">
        <RecordingMark row={row} />
      </span>
      <span role="gridcell" className="cell-progress">
        <RowProgress row={row} />
      </span>
      <span role="gridcell" className="cell-size number">
        {formatBytes(row.bytes)}
      </span>
      <span role="gridcell" className="cell-found number quiet">
        {formatMoment(row.foundAt, now)}
      </span>
    </>
  )
}
