import type { AgentHealth } from '../../../shared/ipc/agent-health.ts'
import { problemNeedsAttention } from '../../../shared/status/problem.ts'
import { foldersInTrouble, type Status } from '../../../shared/status/status.ts'
import { formatCount, plural } from '../../../shared/words/format.ts'
import { batchProgress } from '../batch-progress.ts'
import { areUploadsStopped } from '../uploads-stopped.ts'

type View = { readonly status: Status | null; readonly health: AgentHealth }

/** Windows shows `normal` in green, `paused` in yellow and `error` in red. Red means that the user has to act. */
type ProgressMode = 'normal' | 'paused' | 'error'

export type TaskbarView = {
  readonly progress: { readonly done: number; readonly mode: ProgressMode } | null
  /** A small icon over the button, with its text for screen readers. */
  readonly overlay: { readonly icon: 'attention'; readonly description: string } | null
  /**
   * The text on the dock icon: the number of things that need attention, or `!` if they cannot be counted. Empty for no
   * badge.
   */
  readonly badge: string
  /** For systems that show only a number: at least 1 if anything needs attention. */
  readonly badgeCount: number
}

export const emptyView: TaskbarView = { progress: null, overlay: null, badge: '', badgeCount: 0 }

const { progress: _none, ...noAttention } = emptyView

/** The bar has about a hundred pixels, so smaller steps would redraw it for nothing. */
const PROGRESS_STEPS = 100

const attentionView = (count: number, description: string): Omit<TaskbarView, 'progress'> => ({
  overlay: { icon: 'attention', description },
  badge: count === 0 ? '!' : formatCount(count),
  badgeCount: Math.max(1, count),
})

const attentionOf = ({
  needAttention,
  problems,
  folders,
  station,
  takesToCheck,
}: Status): Omit<TaskbarView, 'progress'> => {
  // A problem of the station or of a folder has no recordings (its `count` is 0), so it counts as one thing.
  // `needAttention` already counts the takes that are on hold.
  const count =
    needAttention +
    takesToCheck.count -
    takesToCheck.held +
    problems.filter((group) => group.count === 0 && problemNeedsAttention(group.problem)).length +
    folders.filter(({ silence }) => silence?.loud === true).length
  if (count === 0) return attentionView(0, station.headline)
  return attentionView(count, `${plural(count, 'thing needs', 'things need')} attention`)
}

/** `paused` while uploads are stopped, or `error` if the user has to fix the cause. */
const modeOf = ({ station }: Status): ProgressMode => {
  if (!areUploadsStopped(station)) return 'normal'
  return station.problem !== null && problemNeedsAttention(station.problem) ? 'error' : 'paused'
}

const progressOf = (status: Status, peakBytes: number): TaskbarView['progress'] => {
  const done = batchProgress(peakBytes, status)
  return done === null
    ? null
    : { done: Math.floor(done * PROGRESS_STEPS) / PROGRESS_STEPS, mode: modeOf(status) }
}

export const taskbarView = ({ status, health }: View, peakBytes: number): TaskbarView => {
  if (health.trouble !== undefined) return { progress: null, ...attentionView(0, health.trouble) }
  // The last status of a stopped agent may be outdated.
  if (status === null || health.state !== 'running') return emptyView
  const progress = progressOf(status, peakBytes)
  switch (status.station.state) {
    case 'starting':
      return emptyView
    case 'idle':
    case 'resting':
    case 'working':
    case 'paused':
    case 'offline':
      // A folder may need attention even while the station is offline, for example because the folder is missing.
      return { progress, ...(foldersInTrouble(status.folders) > 0 ? attentionOf(status) : noAttention) }
    case 'attention':
      return { progress, ...attentionOf(status) }
  }
}
