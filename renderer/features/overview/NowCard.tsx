import { Button as AriaButton } from 'react-aria-components'
import type { RecordingRow, Status } from '../../../shared/status/status.ts'
import { formatBytes, formatCount, formatEta, formatRate } from '../../../shared/words/format.ts'
import { Card } from '../../components/Card.tsx'
import { MiddleName } from '../../components/MiddleName.tsx'
import { ask } from '../../data/ask.ts'
import { useLoad } from '../../data/use-load.ts'
import { useRefreshTick } from '../../data/use-refresh-tick.ts'
import type { Place } from '../../navigation.ts'
import './now.css'

const REFRESH_MS = 1_000
const SHOWN = 5

type GoTo = (place: Place) => void

function Uploading({ row, goTo }: { readonly row: RecordingRow; readonly goTo: GoTo }) {
  const { name, bytes, bytesSent, bytesPerSecond, etaSeconds } = row
  const share = bytes === 0 ? 0 : Math.min(1, bytesSent / bytes)
  const pace = [
    ...(bytesPerSecond === null || bytesPerSecond < 1 ? [] : [formatRate(bytesPerSecond)]),
    ...(etaSeconds === null ? [] : [formatEta(etaSeconds)]),
  ]
  return (
    <AriaButton className="now-row" onPress={() => goTo({ screen: 'recordings', recordingId: row.id })}>
      <MiddleName name={name} />
      <span className="progress" aria-hidden="true">
        <span className="progress-fill progress-busy" style={{ width: `${share * 100}%` }} />
      </span>
      <strong className="number">{`${Math.floor(share * 100)} %`}</strong>
      <span className="now-pace quiet">{pace.join(' · ')}</span>
    </AriaButton>
  )
}

type Props = { readonly status: Status; readonly goTo: GoTo }

/** What is uploading at this moment, and how much waits or is being processed. */
export function NowCard({ status: { standings, transfer, station }, goTo }: Props) {
  const tick = useRefreshTick(REFRESH_MS)
  const isUploading = standings.uploading > 0
  const { data } = useLoad(`${isUploading} ${tick}`, () =>
    isUploading
      ? ask('listRecordings', { standings: ['uploading'], sort: 'found', descending: false, limit: SHOWN })
      : Promise.resolve(null),
  )
  const rows = data?.rows ?? []
  const count = (number: number, words: string) => (number > 0 ? [`${formatCount(number)} ${words}`] : [])
  const others = [
    ...count(standings.uploading - rows.length, rows.length === 0 ? 'uploading' : 'more uploading'),
    ...count(standings.waiting, 'waiting'),
    ...count(standings['at-service'], 'being processed at the service'),
    ...count(standings.recording, 'still recording'),
  ]
  if (rows.length + others.length === 0) return null
  const total = [
    ...(station.state === 'working' || transfer.bytesPerSecond > 0
      ? [formatRate(transfer.bytesPerSecond)]
      : []),
    ...(transfer.bytesLeft > 0 ? [`${formatBytes(transfer.bytesLeft)} left`] : []),
  ]
  return (
    <Card title="Now" aside={<span className="quiet small now-total">{total.join(' · ')}</span>}>
      {rows.length > 0 && (
        <ul className="now-rows">
          {rows.map((row) => (
            <li key={row.id}>
              <Uploading row={row} goTo={goTo} />
            </li>
          ))}
        </ul>
      )}
      {others.length > 0 && <p className="quiet">{others.join(' · ')}</p>}
    </Card>
  )
}
