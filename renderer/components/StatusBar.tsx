import { useState } from 'react'
import type { AgentHealth } from '../../shared/ipc/agent-health.ts'
import { totalOf } from '../../shared/status/night-parts.ts'
import type { Status } from '../../shared/status/status.ts'
import { doneInBrief } from '../../shared/words/forecast-words.ts'
import { formatBytes, formatRate } from '../../shared/words/format.ts'
import { bridge } from '../bridge.ts'
import { useAgent } from '../data/AgentView.tsx'
import { useNow } from '../data/use-now.ts'
import { Button } from './Button.tsx'
import { MarkedWord, StationMark, stationMark } from './StateMark.tsx'
import { serviceWords, stateWords } from './status-bar-words.ts'

/** Whether the text at the right only says "Service reachable". A narrow window then hides the text. */
const isNormal = ({ conditions, paused, state, serviceReachable }: Status['station']): boolean =>
  serviceReachable === true && conditions.length === 0 && (!paused || state === 'paused')

const idleWords = ({ station, standings }: Status): string => {
  if (station.state === 'attention') return 'Nothing uploading'
  return totalOf(standings) === 0 ? 'No recordings yet' : 'Nothing left to upload'
}

function Transfer(status: Status) {
  const { transfer, forecast } = status
  const doneWords = doneInBrief(forecast, useNow())
  if (transfer.bytesLeft === 0)
    return <span className="quiet truncate statusbar-figures">{idleWords(status)}</span>
  return (
    <>
      {transfer.bytesPerSecond !== null && <span>{formatRate(transfer.bytesPerSecond)}</span>}
      <span className="quiet truncate statusbar-figures">
        {formatBytes(transfer.bytesLeft)} to upload
        {doneWords !== null && <span className="statusbar-done">, {doneWords}</span>}
      </span>
    </>
  )
}

function StationState({ station }: Pick<Status, 'station'>) {
  const { word, title } = stateWords(station)
  return (
    <span className="statusbar-state" title={title}>
      <MarkedWord mark={stationMark(station.state)} word={word} />
    </span>
  )
}

/**
 * The text at the right. In a narrow window, the sidebar hides the station's name, so this text shows the name if there
 * is nothing to report.
 */
function ServiceState({ station }: Pick<Status, 'station'>) {
  const words = serviceWords(station)
  const isUsual = isNormal(station)
  return (
    <>
      <span className={`quiet truncate ${isUsual ? 'statusbar-usual' : ''}`}>{words}</span>
      {(isUsual || words === '') && <span className="quiet truncate statusbar-name">{station.name}</span>}
    </>
  )
}

const hostWords = { window: 'a window', terminal: 'a terminal', service: 'the background service' } as const

/** Names the agent that this window is attached to. Null if the window started the agent itself. */
const attachedWords = ({ attached }: AgentHealth): string | null =>
  attached === undefined ? null : `Attached to ${hostWords[attached.host]} of ${attached.account}`

function StoppedAgent({ trouble }: { readonly trouble: string | undefined }) {
  const [refusal, setRefusal] = useState<string | null>(null)
  const start = async () => {
    const answer = await bridge.call.startAgent()
    setRefusal(answer.ok ? null : answer.error.message)
  }
  return (
    <>
      <MarkedWord mark={{ icon: 'cycle', tone: 'warn' }} word="Agent stopped" />
      <span className="truncate">{refusal ?? trouble}</span>
      <span className="statusbar-fill" />
      <Button size="small" onPress={() => void start()}>
        Start the agent
      </Button>
    </>
  )
}

export function StatusBar() {
  const { status, health } = useAgent()
  const isRestarting = health.state === 'restarting'
  const isStopped = health.state === 'stopped'
  const attached = attachedWords(health)
  return (
    <footer className={isRestarting || isStopped ? 'statusbar statusbar-warn' : 'statusbar'}>
      <span className="visually-hidden" role="status">
        {isRestarting ? 'The upload agent stopped. Reconnecting.' : ''}
        {isStopped ? 'The upload agent stopped.' : ''}
      </span>
      {isStopped ? (
        <StoppedAgent trouble={health.trouble} />
      ) : isRestarting ? (
        <>
          <MarkedWord mark={{ icon: 'cycle', tone: 'warn' }} word="Reconnecting" />
          <span className="truncate">
            {health.trouble ??
              'The upload agent stopped and is restarting. Uploads then continue, and nothing is lost.'}
          </span>
        </>
      ) : status === null ? (
        <StationMark state="starting" />
      ) : (
        <>
          <StationState station={status.station} />
          <Transfer {...status} />
          <span className="statusbar-fill" />
          {attached !== null && <span className="quiet truncate">{attached}</span>}
          <ServiceState station={status.station} />
        </>
      )}
    </footer>
  )
}
