import type { AgentHealth } from '../../../shared/ipc/agent-health.ts'
import { type System, systemWords } from '../../../shared/ipc/system.ts'
import { type PauseChoice, pauseChoices, pauseWords } from '../../../shared/status/pause.ts'
import type { RecordingRow, Status } from '../../../shared/status/status.ts'
import { formatBytes } from '../../../shared/words/format.ts'
import { stationLine } from '../../../shared/words/station-line.ts'
import { TEST_KEY_SENTENCE } from '../../../shared/words/test-key-words.ts'
import { wordOf } from '../../../shared/words/words.ts'
import { batchProgress } from '../batch-progress.ts'

export type TrayAction =
  | { readonly kind: 'open'; readonly to: string }
  | { readonly kind: 'pause'; readonly choice: PauseChoice }
  | { readonly kind: 'resume' | 'upload-now' | 'keep-upload-hours' | 'toggle-login' | 'quit' }

export type TrayItem =
  | { readonly kind: 'separator' }
  | { readonly kind: 'text'; readonly label: string }
  | { readonly kind: 'act'; readonly label: string; readonly action: TrayAction }
  | { readonly kind: 'check'; readonly label: string; readonly checked: boolean; readonly action: TrayAction }
  | { readonly kind: 'menu'; readonly label: string; readonly items: readonly TrayItem[] }

export type TrayIcon =
  | 'idle'
  | 'working-0'
  | 'working-25'
  | 'working-50'
  | 'working-75'
  | 'paused'
  | 'attention'
  | 'offline'

type View = {
  readonly status: Status | null
  readonly health: AgentHealth
  readonly startAtLogin: boolean
  readonly system: System
}

const separator: TrayItem = { kind: 'separator' }
const MAX_LABEL_LENGTH = 48

/** Counts code points, so that the cut splits no surrogate pair. */
const shorten = (text: string) => {
  const characters = [...text]
  return characters.length <= MAX_LABEL_LENGTH
    ? text
    : `${characters.slice(0, MAX_LABEL_LENGTH - 1).join('')}…`
}
/** In a menu, a single "&" would become a mnemonic and vanish from a file name. */
const escapeMnemonic = (text: string) => text.replace(/&/g, '&&')

/** The disabled lines below the headline, with one fact per line. */
const detailLines = ({ status, health }: View): readonly TrayItem[] =>
  status === null || health.state !== 'running' || health.trouble !== undefined
    ? []
    : status.station.detail
        .split(' · ')
        .filter((fact) => fact !== '')
        .map((fact) => ({ kind: 'text', label: escapeMnemonic(fact) }))

/** Names the station, because a technician may see the screens of several PCs at the same time. */
export const trayTip = (view: View): string =>
  view.status === null ? stationLine(view) : `${view.status.station.name}: ${stationLine(view)}`

const percentSent = (row: RecordingRow) =>
  row.bytes === 0 ? 0 : Math.floor((row.bytesSent / row.bytes) * 100)

const recordingLabel = (row: RecordingRow, nowMs: number): string => {
  const word = wordOf(row, nowMs)
  const detail = row.state === 'uploading' ? `${word} ${percentSent(row)}%` : word
  return `${escapeMnemonic(shorten(row.name))}  ·  ${detail}  ·  ${formatBytes(row.bytes)}`
}

export const trayMenu = (view: View): readonly TrayItem[] => {
  const { status, health, startAtLogin, system } = view
  const recentRows = (status?.recent ?? []).slice(0, 5)
  const isRunning = status !== null && health.state === 'running'
  return [
    { kind: 'text', label: escapeMnemonic(stationLine(view)) },
    ...(status?.station.testKey === true ? [{ kind: 'text', label: TEST_KEY_SENTENCE } as const] : []),
    ...detailLines(view),
    separator,
    ...recentRows.map(
      (row): TrayItem => ({
        kind: 'act',
        label: recordingLabel(row, Date.parse(status?.at ?? '')),
        action: { kind: 'open', to: `recordings/${row.id}` },
      }),
    ),
    ...(recentRows.length > 0 ? [separator] : []),
    ...(isRunning ? [pauseItem(status), ...uploadNowItems(status)] : []),
    { kind: 'act', label: 'Open Sluice', action: { kind: 'open', to: 'overview' } },
    {
      kind: 'check',
      label: systemWords[system].startAtLogin,
      checked: startAtLogin,
      action: { kind: 'toggle-login' },
    },
    separator,
    { kind: 'act', label: 'Quit Sluice', action: { kind: 'quit' } },
  ]
}

const pauseItem = (status: Status): TrayItem =>
  status.station.paused
    ? { kind: 'act', label: 'Resume uploads', action: { kind: 'resume' } }
    : {
        kind: 'menu',
        label: 'Pause uploads',
        items: pauseChoices.map((choice) => ({
          kind: 'act',
          label: pauseWords(choice),
          action: { kind: 'pause', choice },
        })),
      }

/**
 * Outside the upload hours, offers “Upload now anyway” while recordings are waiting or uploading. After the user has
 * chosen it, offers “Wait for upload hours” instead.
 */
const uploadNowItems = ({ station, standings }: Status): readonly TrayItem[] => {
  if (station.outsideWindowUntil === null) return []
  if (station.uploadNow?.station === true)
    return [{ kind: 'act', label: 'Wait for upload hours', action: { kind: 'keep-upload-hours' } }]
  if (standings.waiting + standings.uploading === 0) return []
  return [{ kind: 'act', label: 'Upload now anyway', action: { kind: 'upload-now' } }]
}

export const trayIcon = (
  { status, health }: Pick<View, 'status' | 'health'>,
  peakBytes: number,
): TrayIcon => {
  if (health.trouble !== undefined) return 'attention'
  if (status === null || health.state !== 'running') return 'offline'
  switch (status.station.state) {
    case 'starting':
    case 'idle':
    case 'resting':
      return 'idle'
    case 'paused':
      return 'paused'
    case 'attention':
      return 'attention'
    case 'offline':
      return 'offline'
    case 'working': {
      const progress = batchProgress(peakBytes, status) ?? 0
      if (progress < 0.25) return 'working-0'
      if (progress < 0.5) return 'working-25'
      return progress < 0.75 ? 'working-50' : 'working-75'
    }
  }
}
