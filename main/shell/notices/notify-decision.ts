import type { DraftSettings } from '../../../shared/settings/settings.ts'
import { problemNeedsAttention } from '../../../shared/status/problem.ts'
import { problemOwners } from '../../../shared/status/problem-terms.ts'
import type { ProblemGroup, Silence, Status, TakeToCheck } from '../../../shared/status/status.ts'
import { formatDuration, plural } from '../../../shared/words/format.ts'
import { takeSentence } from '../../../shared/words/take-words.ts'
import { needSentence } from '../../../shared/words/words.ts'
import { isNightDone, isNightNoticeDue, type NightMemory, nightNotice } from './night-notice.ts'
import type { Notice } from './notice.ts'
import { isQuiet } from './quiet-hours.ts'

/** What was already shown, so that no problem is shown twice while it exists. */
export type NotifyMemory = {
  readonly shown: ReadonlySet<string>
  /** The current wait for conditions to clear by themselves, and whether a notice about this wait was shown. */
  readonly wait: { readonly sinceMs: number; readonly isShown: boolean } | null
  readonly night: NightMemory
}

export const emptyMemory: NotifyMemory = { shown: new Set(), wait: null, night: null }

type AppSettings = DraftSettings['app']

/** A notice appears after the station has waited this long for conditions to clear by themselves. */
const LONG_WAIT_MS = 3_600_000

/** The name contains the folder, because two missing folders are two problems with the same code. */
const nameOf = ({ problem, folder = '' }: ProblemGroup): string => `${problem.code} ${folder}`

const needsOf = (groups: readonly ProblemGroup[]): Status['needs'] => {
  const countOf = (owner: (typeof problemOwners)[number]) =>
    groups.filter(({ problem }) => problem.owner === owner).reduce((sum, { count }) => sum + count, 0)
  return Object.fromEntries(problemOwners.map((owner) => [owner, countOf(owner)])) as Status['needs']
}

/** The title is the headline, because it names who must act. The body shows what is new. */
const attentionNotice = (
  newGroups: readonly ProblemGroup[],
  { headline }: Status['station'],
): Notice | null => {
  const [first] = newGroups
  if (first === undefined) return null
  const recordings = newGroups.reduce((sum, group) => sum + group.count, 0)
  if (newGroups.length > 1) {
    const body = recordings === 0 ? first.problem.sentence : `${needSentence(needsOf(newGroups))}.`
    return { title: headline, body, to: 'overview' }
  }
  const { problem, count, folder, examples } = first
  const onlyRecording = count === 1 ? examples[0] : undefined
  const subject = onlyRecording?.name ?? folder
  const body = `${subject === undefined ? '' : `${subject}: `}${problem.sentence} ${problem.next}`
  // A problem of the station or a folder has no recordings to list.
  if (count === 0) return { title: headline, body, to: folder === undefined ? 'overview' : 'folders' }
  return {
    title: headline,
    body,
    to: onlyRecording === undefined ? `recordings?problem=${problem.code}` : `recordings/${onlyRecording.id}`,
  }
}

type SilentFolder = Status['folders'][number] & { readonly silence: Silence }

const raisesSilenceAlarm = (folder: Status['folders'][number]): folder is SilentFolder =>
  folder.silence?.loud === true

const silenceName = ({ path }: SilentFolder): string => `silence ${path}`

const silenceNotice = (newFolders: readonly SilentFolder[]): Notice | null => {
  const [first] = newFolders
  if (first === undefined) return null
  const title =
    newFolders.length === 1
      ? `${first.site} is silent`
      : `${plural(newFolders.length, 'folder is', 'folders are')} silent`
  return { title, body: newFolders.map(({ silence }) => silence.sentence).join(' '), to: 'overview' }
}

const takeName = ({ id }: TakeToCheck): string => `take ${id}`

const takeNotice = (newTakes: readonly TakeToCheck[]): Notice | null => {
  const [first] = newTakes
  if (first === undefined) return null
  return newTakes.length === 1
    ? {
        title: `Check this recording: ${first.name}`,
        body: takeSentence(first),
        to: `recordings/${first.id}`,
      }
    : {
        title: `Check ${plural(newTakes.length, 'recording')}`,
        body: `${first.name}: ${takeSentence(first)}`,
        to: 'overview',
      }
}

/**
 * Measures one wait for all conditions together, because a broken connection may cause a different condition each
 * minute.
 */
const waitOf = ({ wait }: NotifyMemory, { station }: Status, now: Date): NotifyMemory['wait'] =>
  station.conditions.every(problemNeedsAttention)
    ? null
    : (wait ?? { sinceMs: now.getTime(), isShown: false })

const waitNotice = ({ station }: Status, sinceMs: number, now: Date): Notice | null => {
  const mostSerious = station.conditions.find((condition) => !problemNeedsAttention(condition))
  if (mostSerious === undefined) return null
  return {
    title: `Still waiting after ${formatDuration((now.getTime() - sinceMs) / 1000)}`,
    body: `${mostSerious.sentence} ${mostSerious.next}`,
    to: 'overview',
  }
}

type Decision = {
  readonly memory: NotifyMemory
  readonly notices: readonly Notice[]
  /** True to play a sound, for a technician who does not see the screen. */
  readonly hasSound: boolean
}

/**
 * True if the take may still need a check, although the status does not list it. The status lists only the newest
 * takes.
 */
const isUnlistedTake = (name: string, { takesToCheck }: Status): boolean =>
  name.startsWith('take ') && takesToCheck.count > takesToCheck.newest.length

/**
 * Decides which notifications a new status needs. In quiet hours, shows nothing and marks nothing as shown. So problems
 * that still exist appear when the quiet hours end. A problem that ends and comes back may be shown again.
 */
export const decideNotices = (
  memory: NotifyMemory,
  status: Status,
  settings: AppSettings,
  now: Date,
): Decision => {
  const groups = status.problems.filter((group) => problemNeedsAttention(group.problem))
  const silentFolders = status.folders.filter(raisesSilenceAlarm)
  const takes = status.takesToCheck.newest
  const presentNames = new Set([
    ...groups.map(nameOf),
    ...silentFolders.map(silenceName),
    ...takes.map(takeName),
  ])
  const shown = new Set(
    [...memory.shown].filter((name) => presentNames.has(name) || isUnlistedTake(name, status)),
  )
  const wait = waitOf(memory, status, now)
  const { since } = status.report
  const isDue = isNightNoticeDue(memory.night, status, now)
  if (isQuiet(settings.quiet_hours, now))
    return { memory: { shown, wait, night: { since, isDue } }, notices: [], hasSound: false }

  const newGroups = groups.filter((group) => !shown.has(nameOf(group)))
  const newSilentFolders = silentFolders.filter((folder) => !shown.has(silenceName(folder)))
  const newTakes = takes.filter((take) => !shown.has(takeName(take)))
  const attention = settings.notify_attention ? attentionNotice(newGroups, status.station) : null
  const silence = settings.notify_attention ? silenceNotice(newSilentFolders) : null
  const take = settings.notify_attention ? takeNotice(newTakes) : null
  const isLong = wait !== null && !wait.isShown && now.getTime() - wait.sinceMs >= LONG_WAIT_MS
  const longWait = settings.notify_attention && isLong ? waitNotice(status, wait.sinceMs, now) : null
  const isDone = isDue && isNightDone(status, now)
  const overnight = settings.notify_overnight_done && isDone ? nightNotice(status) : null
  return {
    memory: {
      // From now on, every present problem counts as shown, even if the user turned notifications off.
      shown: new Set([...shown, ...presentNames]),
      wait: wait === null ? null : { ...wait, isShown: wait.isShown || isLong },
      night: { since, isDue: isDue && !isDone },
    },
    notices: [attention, silence, take, longWait, overnight].filter((notice) => notice !== null),
    hasSound: settings.sound_on_deviation && newTakes.length > 0,
  }
}
