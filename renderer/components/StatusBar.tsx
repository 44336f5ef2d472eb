import { conditionCodeOf } from '../../shared/status/conditions.ts'
import { totalOf } from '../../shared/status/night-parts.ts'
import type { Status } from '../../shared/status/status.ts'
import { doneInBrief } from '../../shared/words/forecast-words.ts'
import { formatBytes, formatRate } from '../../shared/words/format.ts'
import { needSentence } from '../../shared/words/words.ts'
import { useAgent } from '../data/AgentView.tsx'
import { useNow } from '../data/use-now.ts'
import { MarkedWord, StationMark } from './StateMark.tsx'

/** A pause beside a problem, all current conditions, or whether the service is reachable. */
const serviceWords = (station: Status['station']): string => {
  const { conditions, paused, state, serviceReachable: reachable } = station
  const wrong = conditions.flatMap(({ code }) => conditionCodeOf(code)?.shortWords ?? [])
  // The mark at the left shows one state. A problem hides the pause there.
  const facts = [...(paused && state !== 'paused' ? ['Paused'] : []), ...wrong]
  if (facts.length > 0) return facts.join(', ')
  if (reachable === null && paused) return 'Not connected'
  if (reachable === null) return 'Connecting…'
  return reachable ? 'Service reachable' : 'Service not reachable'
}

/** Hidden in a narrow window. */
const isUsual = ({ conditions, paused, serviceReachable }: Status['station']): boolean =>
  serviceReachable === true && conditions.length === 0 && !paused

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
