import { formatCount, plural } from '../../../shared/format.ts'
import type { AgentHealth } from '../../../shared/ipc.ts'
import { isHeld } from '../../../shared/station-held.ts'
import { foldersInTrouble, needsSomebody, type Status } from '../../../shared/status.ts'
import { batchDone } from '../batch-progress.ts'

type View = { readonly status: Status | null; readonly health: AgentHealth }

/** Windows' own: green moves, yellow waits for nobody, red waits for somebody. */
type ProgressMode = 'normal' | 'paused' | 'error'

export type TaskbarView = {
  readonly progress: { readonly done: number; readonly mode: ProgressMode } | null
  /** A small sign over the button, with what a screen reader says for it. */
  readonly overlay: { readonly icon: 'attention'; readonly description: string } | null
  /** On the dock's icon: how much waits for somebody, folders in trouble among it. Empty shows none. */
  readonly badge: string
  /** The same where only a number can be shown: at least one. */
  readonly badgeCount: number
}

export const nothingShown: TaskbarView = { progress: null, overlay: null, badge: '', badgeCount: 0 }

const { progress: _none, ...nothing } = nothingShown

/** Steps that are seen; a bar of a hundred pixels is not drawn anew for every second. */
const STEPS = 100

const needsSomeone = (count: number, description: string): Omit<TaskbarView, 'progress'> => ({
  overlay: { icon: 'attention', description },
  badge: count === 0 ? '!' : formatCount(count),
  badgeCount: Math.max(1, count),
})

const attentionOf = ({ needPerson, problems, folders, station }: Status): Omit<TaskbarView, 'progress'> => {
  // A problem of the station or of a folder has no recordings to count.
  const count =
    needPerson +
    problems.filter((group) => group.count === 0 && needsSomebody(group.problem)).length +
    folders.filter(({ silence }) => silence?.loud === true).length
  if (count === 0) return needsSomeone(0, station.headline)
  return needsSomeone(count, `${plural(count, 'thing needs', 'things need')} someone`)
}

/** The bar stands still where nothing is sent, and is red only where somebody has to mend what stops it. */
const modeOf = ({ station }: Status): ProgressMode => {
  if (!isHeld(station)) return 'normal'
  return station.problem !== null && needsSomebody(station.problem) ? 'error' : 'paused'
}

const progressOf = (status: Status, peak: number): TaskbarView['progress'] => {
  const done = batchDone(peak, status)
  return done === null ? null : { done: Math.floor(done * STEPS) / STEPS, mode: modeOf(status) }
}

/** What taskbar and dock show besides the icon. */
export const taskbarView = ({ status, health }: View, peak: number): TaskbarView => {
  if (health.trouble !== undefined) return { progress: null, ...needsSomeone(0, health.trouble) }
  // What an agent said that is gone is not known to be true.
  if (status === null || health.state !== 'running') return nothingShown
  const progress = progressOf(status, peak)
  switch (status.station.state) {
    case 'starting':
      return nothingShown
    case 'idle':
    case 'resting':
    case 'working':
    case 'paused':
    case 'offline':
      // A folder that is missing needs somebody also while the service is away, which the state tells first.
      return { progress, ...(foldersInTrouble(status.folders) > 0 ? attentionOf(status) : nothing) }
    case 'attention':
      return { progress, ...attentionOf(status) }
  }
}
