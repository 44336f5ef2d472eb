import { holdOf } from '../../shared/recording-held.ts'
import { isHeld } from '../../shared/station-held.ts'
import {
  type FolderStatus,
  needsSomebody,
  type RecordingRow,
  type RecordingState,
  type StationState,
} from '../../shared/status.ts'
import { folderWords, recordingWords, stationWords } from '../../shared/words.ts'
import { useAgent } from '../data/AgentView.tsx'
import { Icon, type IconName } from './Icon.tsx'

export type Tone = 'good' | 'busy' | 'warn' | 'bad' | 'quiet'
type Mark = { readonly icon: IconName; readonly tone: Tone }

/** Each state has its own shape, so that it is told apart without colour. */
const recordingMarks: Readonly<Record<RecordingState, Mark>> = {
  growing: { icon: 'record', tone: 'busy' },
  queued: { icon: 'clock', tone: 'quiet' },
  hashing: { icon: 'hash', tone: 'busy' },
  ready: { icon: 'ready', tone: 'quiet' },
  uploading: { icon: 'up-circle', tone: 'busy' },
  completing: { icon: 'finish', tone: 'busy' },
  processing: { icon: 'cycle', tone: 'busy' },
  processed: { icon: 'check-circle', tone: 'good' },
  failed: { icon: 'octagon', tone: 'bad' },
  gone: { icon: 'gone', tone: 'quiet' },
}

export const stationMarks: Readonly<Record<StationState, Mark>> = {
  starting: { icon: 'clock', tone: 'quiet' },
  idle: { icon: 'check-circle', tone: 'good' },
  working: { icon: 'up-circle', tone: 'busy' },
  paused: { icon: 'pause-circle', tone: 'quiet' },
  attention: { icon: 'triangle', tone: 'warn' },
  offline: { icon: 'offline', tone: 'warn' },
}

const folderMarks: Readonly<Record<FolderStatus['state'], Mark>> = {
  watching: { icon: 'check-circle', tone: 'good' },
  scanning: { icon: 'search', tone: 'busy' },
  offline: { icon: 'offline', tone: 'warn' },
  replaced: { icon: 'triangle', tone: 'warn' },
  unusable: { icon: 'octagon', tone: 'bad' },
}

export function MarkedWord({ mark, word }: { readonly mark: Mark; readonly word: string }) {
  return (
    <span className={`marked tone-${mark.tone}`}>
      <Icon name={mark.icon} />
      <span>{word}</span>
    </span>
  )
}

const paused: Mark = { icon: 'pause-circle', tone: 'quiet' }
/** What passes by itself is told, and alarms nobody. */
const heldForSomebody: Mark = { icon: 'triangle', tone: 'warn' }
const heldForTime: Mark = { icon: 'clock', tone: 'quiet' }

type Markable = Pick<RecordingRow, 'state' | 'paused' | 'problem'>

export function RecordingMark({ row }: { readonly row: Markable }) {
  const { status } = useAgent()
  const hold = holdOf(row)
  const word = recordingWords[row.state]
  if (row.paused) return <MarkedWord mark={paused} word="Paused" />
  if (hold !== null)
    return <MarkedWord mark={needsSomebody(hold) ? heldForSomebody : heldForTime} word={`${word} · held`} />
  // Begun, but the station is stopped: "Uploading" beside "Offline" would be believed by nobody.
  if (row.state === 'uploading' && status !== null && isHeld(status.station))
    return <MarkedWord mark={paused} word={`${word} · held`} />
  return <MarkedWord mark={recordingMarks[row.state]} word={word} />
}

export function StateMark({ state }: { readonly state: RecordingState }) {
  return <MarkedWord mark={recordingMarks[state]} word={recordingWords[state]} />
}

export function StationMark({ state }: { readonly state: StationState }) {
  return <MarkedWord mark={stationMarks[state]} word={stationWords[state]} />
}

export function FolderMark({ state }: { readonly state: FolderStatus['state'] }) {
  return <MarkedWord mark={folderMarks[state]} word={folderWords[state]} />
}
