import { Button as AriaButton } from 'react-aria-components'
import type { Status, UploadProgress } from '../../../shared/status/status.ts'
import { formatCount, formatEta, formatRate, plural } from '../../../shared/words/format.ts'
import { transferLine } from '../../../shared/words/transfer-words.ts'
import { waitWords } from '../../../shared/words/wait-words.ts'
import { Card } from '../../components/Card.tsx'
import { TruncatedName } from '../../components/TruncatedName.tsx'
import { useNow } from '../../data/use-now.ts'
import type { Place } from '../../navigation.ts'
import './now.css'

/** More rows would push the night's card out of the window. */
const MAX_SHOWN = 5

type GoTo = (place: Place) => void

function Upload({ upload, goTo }: { readonly upload: UploadProgress; readonly goTo: GoTo }) {
  const { id, name, percent, bytesPerSecond, secondsLeft } = upload
  const speedWords = [
    ...(bytesPerSecond === null ? [] : [formatRate(bytesPerSecond)]),
    ...(secondsLeft === null ? [] : [formatEta(secondsLeft)]),
  ]
  return (
    <AriaButton className="now-row" onPress={() => goTo({ screen: 'recordings', recordingId: id })}>
      <TruncatedName name={name} />
      <span className="progress" aria-hidden="true">
        <span className="progress-fill progress-busy" style={{ width: `${percent}%` }} />
      </span>
      <strong className="number">{`${percent} %`}</strong>
      <span className="now-speed quiet">{speedWords.join(' · ')}</span>
    </AriaButton>
  )
}

type Props = { readonly status: Pick<Status, 'transfer' | 'station'>; readonly goTo: GoTo }

/**
 * Shows the current uploads, and how many recordings wait or are being processed. If nothing uploads, also shows why.
 */
export function NowCard({ status: { transfer, station }, goTo }: Props) {
  const now = useNow()
  const { uploads, waiting, processing } = transfer
  const reason = uploads.length === 0 && waiting > 0 ? waitWords(station, now) : null
  const isWaiting = reason !== null
  const largeUploads = uploads.filter(({ isSmall }) => !isSmall)
  // There can be many small recordings, because `transfer.parallel_recordings` does not limit them. They get no rows
  // while a large recording uploads.
  const rows = largeUploads.length > 0 ? largeUploads : uploads
  const smallCount = uploads.length - rows.length
  const countWords = (number: number, words: string) =>
    number > 0 ? [`${formatCount(number)} ${words}`] : []
  const otherWords = [
    ...countWords(rows.length - MAX_SHOWN, 'more uploading'),
    ...(smallCount === 0 ? [] : [`${plural(smallCount, 'small recording')} uploading too`]),
    ...(isWaiting ? [plural(waiting, 'recording')] : countWords(waiting, 'waiting')),
    ...countWords(processing, 'being processed at the service'),
  ]
  if (uploads.length + otherWords.length === 0) return null
  return (
    <Card
      title={isWaiting ? 'Waiting' : 'Now'}
      aside={<span className="quiet small now-total">{transferLine(transfer)}</span>}
    >
      {rows.length > 0 && (
        <ul className="now-rows">
          {rows.slice(0, MAX_SHOWN).map((upload) => (
            <li key={upload.id}>
              <Upload upload={upload} goTo={goTo} />
            </li>
          ))}
        </ul>
      )}
      {otherWords.length > 0 && (
        <p className="quiet">
          {reason !== null && <strong className="now-reason">{reason}</strong>}
          <span>{otherWords.join(' · ')}</span>
        </p>
      )}
    </Card>
  )
}
