import { conditionCodeOf } from '../../shared/status/conditions.ts'
import { totalOf } from '../../shared/status/night-parts.ts'
import type { Status } from '../../shared/status/status.ts'
import { doneInBrief } from '../../shared/words/forecast-words.ts'
import { formatBytes, formatRate } from '../../shared/words/format.ts'
import { needSentence } from '../../shared/words/words.ts'
import { useAgent } from '../data/AgentView.tsx'
import { useNow } from '../data/use-now.ts'
import { MarkedWord, StationMark } from './StateMark.tsx'

/** All current conditions, or whether the service is reachable. */
const serviceWords = ({ conditions, serviceReachable: reachable }: Status['station']): string => {
  const wrong = conditions.flatMap(({ code }) => conditionCodeOf(code)?.shortWords ?? [])
  if (wrong.length > 0) return wrong.join(', ')
  if (reachable === null) return 'Connecting…'
  return reachable ? 'Service reachable' : 'Service not reachable'
}

/** Hidden in a narrow window. */
const isUsual = ({ conditions, serviceReachable }: Status['station']): boolean =>
  serviceReachable === true && conditions.length === 0

const idleWords = ({ needPerson, needs, standings }: Status): string => {
  if (needPerson > 0) return needSentence(needs)
  return totalOf(standings) === 0 ? 'No recordings yet' : 'Nothing left to upload'
}

function Transfer(status: Status) {
  const { transfer, forecast } = status
  const done = doneInBrief(forecast, useNow())
  if (transfer.bytesLeft === 0) return <span className="quiet truncate">{idleWords(status)}</span>
  return (
    <>
      {transfer.bytesPerSecond !== null && <span>{formatRate(transfer.bytesPerSecond)}</span>}
      <span className="quiet truncate">
        {formatBytes(transfer.bytesLeft)} to upload
        {done !== null && `, ${done}`}
      </span>
    </>
  )
}

export function StatusBar() {
  const { status, health } = useAgent()
  const restarting = health.state === 'restarting'
  return (
    <footer className={restarting ? 'statusbar statusbar-warn' : 'statusbar'}>
      <span className="visually-hidden" role="status">
        {restarting ? 'The upload agent stopped. Reconnecting.' : ''}
      </span>
      {restarting ? (
        <>
          <MarkedWord mark={{ icon: 'cycle', tone: 'warn' }} word="Reconnecting" />
          <span className="truncate">
            {health.trouble ??
              'The upload agent stopped and is restarting. Uploads continue where they were; nothing is lost.'}
          </span>
        </>
      ) : status === null ? (
        <StationMark state="starting" />
      ) : (
        <>
          <StationMark state={status.station.state} />
          <Transfer {...status} />
          <span className="statusbar-fill" />
          <span className={`quiet truncate ${isUsual(status.station) ? 'statusbar-usual' : ''}`}>
            {serviceWords(status.station)}
          </span>
        </>
      )}
    </footer>
  )
}
