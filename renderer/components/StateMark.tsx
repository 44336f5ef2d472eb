import type { Standing } from '../../shared/status/standing.ts'
import type { FolderStatus, RecordingRow, RecordingState, StationState } from '../../shared/status/status.ts'
import {
  folderWords,
  silentSince,
  silentWords,
  stageWords,
  standingWords,
  stationWords,
  type Tone,
  wordOf,
} from '../../shared/words/words.ts'
import { useNow } from '../data/use-now.ts'
import { Icon, type IconName } from './Icon.tsx'

type Mark = { readonly icon: IconName; readonly tone: Tone }

/** One shape per standing, so that users can tell them apart without colour. */
const standingIcons: Readonly<Record<Standing, IconName>> = {
  recording: 'record',
  waiting: 'clock',
  uploading: 'up-circle',
  'at-service': 'cycle',
  safe: 'check-circle',
  'needs-attention': 'triangle',
  dismissed: 'gone',
  elsewhere: 'sessions',
}

/** The timeline shows past stages, so these icons have no colour. */
const stageIcons: Readonly<Record<RecordingState, IconName>> = {
  growing: 'record',
  queued: 'clock',
  hashing: 'hash',
  ready: 'ready',
  uploading: 'up-circle',
  completing: 'finish',
  processing: 'cycle',
  processed: 'check-circle',
  failed: 'octagon',
  gone: 'gone',
}

const stationIcons: Readonly<Record<StationState, IconName>> = {
  starting: 'clock',
  idle: 'check-circle',
  resting: 'info',
  working: 'up-circle',
  paused: 'pause-circle',
  attention: 'triangle',
  offline: 'offline',
}

const folderIcons: Readonly<Record<FolderStatus['state'], IconName>> = {
  watching: 'check-circle',
  scanning: 'search',
  offline: 'offline',
  replaced: 'triangle',
  unusable: 'octagon',
}

export const stationMark = (state: StationState): Mark => ({
  icon: stationIcons[state],
  tone: stationWords[state].tone,
})

export function MarkedWord({ mark, word }: { readonly mark: Mark; readonly word: string }) {
  return (
    <span className={`marked tone-${mark.tone}`}>
      <Icon name={mark.icon} />
      <span>{word}</span>
    </span>
  )
}

export function RecordingMark({ row }: { readonly row: Pick<RecordingRow, 'standing' | 'paused'> }) {
  const now = useNow()
  const { standing, paused } = row
  const icon = standing === 'waiting' && paused ? 'pause-circle' : standingIcons[standing]
  return <MarkedWord mark={{ icon, tone: standingWords[standing].tone }} word={wordOf(row, now)} />
}

export function StageMark({ state }: { readonly state: RecordingState }) {
  return <MarkedWord mark={{ icon: stageIcons[state], tone: 'quiet' }} word={stageWords[state]} />
}

export function StationMark({ state }: { readonly state: StationState }) {
  return <MarkedWord mark={stationMark(state)} word={stationWords[state].word} />
}

export function FolderMark({ folder }: { readonly folder: Pick<FolderStatus, 'state' | 'silence'> }) {
  const { state, silence } = folder
  const now = useNow()
  if (silence !== null)
    return <MarkedWord mark={{ icon: 'triangle', tone: silentWords.tone }} word={silentSince(silence, now)} />
  const { word, tone } = folderWords[state]
  return <MarkedWord mark={{ icon: folderIcons[state], tone }} word={word} />
}
