import { formatCount, plural } from '../../shared/format.ts'
import type { DraftSettings } from '../../shared/settings.ts'
import type { ProblemCode, ProblemGroup, Status } from '../../shared/status.ts'

export type Notice = { readonly title: string; readonly body: string; readonly to: string }

/** What has been told already, so that nothing is told twice. */
export type NotifyMemory = {
  readonly told: ReadonlySet<ProblemCode>
  /** The night (its `since`) that was still unfinished when last looked at. */
  readonly unfinishedNight: string | null
}

export const freshMemory: NotifyMemory = { told: new Set(), unfinishedNight: null }

type AppSettings = DraftSettings['app']

/** Before this hour the night is not over, whatever is done. */
const MORNING_HOUR = 6

const minutesOf = (time: string): number => {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return hours * 60 + minutes
}

export const isQuiet = (hours: AppSettings['quiet_hours'], now: Date): boolean => {
  if (hours === undefined) return false
  const from = minutesOf(hours.from)
  const to = minutesOf(hours.to)
  const at = now.getHours() * 60 + now.getMinutes()
  return from <= to ? at >= from && at < to : at >= from || at < to
}

/** What has a next try of its own heals by itself; nobody is called for it. */
const needsSomebody = (status: Status): readonly ProblemGroup[] =>
  status.problems.filter((group) => group.problem.nextAt === null)

const attentionNotice = (fresh: readonly ProblemGroup[]): Notice | null => {
  const [first] = fresh
  if (first === undefined) return null
  if (fresh.length > 1) {
    const recordings = fresh.reduce((sum, group) => sum + group.count, 0)
    return {
      title: `${plural(fresh.length, 'problem')} need you`,
      body:
        recordings === 0
          ? first.problem.sentence
          : `${plural(recordings, 'recording')} cannot go on by themselves.`,
      to: 'overview',
    }
  }
  const { problem, count, folder, examples } = first
  const body = `${problem.sentence} ${problem.next}`
  // No list of recordings would show a problem of the station or of a folder.
  if (count === 0)
    return folder === undefined
      ? { title: 'Sluice needs you', body, to: 'overview' }
      : { title: folder, body, to: 'folders' }
  const only = count === 1 ? examples[0] : undefined
  return {
    title: only?.name ?? `${plural(count, 'recording')} need you`,
    body,
    to: only === undefined ? `recordings?problem=${problem.code}` : `recordings/${only.id}`,
  }
}

const nightNotice = ({ report }: Status): Notice => ({
  title: 'The night’s recordings are done',
  body:
    report.failed === 0
      ? `All ${plural(report.recorded, 'recording')} are safe.`
      : `${formatCount(report.recorded - report.failed)} of ${formatCount(report.recorded)} are safe; ${formatCount(report.failed)} failed.`,
  to: 'overview',
})

/**
 * Decides what to say about a new status. In quiet hours nothing is said and nothing is marked as told, so
 * what is still true is said when they end. A problem that went away may be told again when it comes back.
 */
export const decideNotices = (
  memory: NotifyMemory,
  status: Status,
  settings: AppSettings,
  now: Date,
): { readonly memory: NotifyMemory; readonly notices: readonly Notice[] } => {
  const groups = needsSomebody(status)
  const present = new Set(groups.map((group) => group.problem.code))
  const told = new Set([...memory.told].filter((code) => present.has(code)))
  const { report } = status
  const night = report.since
  const nightIsDone = report.recorded > 0 && report.waiting === 0 && now.getHours() >= MORNING_HOUR
  const wasUnfinished = memory.unfinishedNight === night
  const unfinishedNight = nightIsDone && wasUnfinished ? null : nightIsDone ? memory.unfinishedNight : night

  if (isQuiet(settings.quiet_hours, now))
    return { memory: { told, unfinishedNight: wasUnfinished ? night : unfinishedNight }, notices: [] }

  const fresh = groups.filter((group) => !told.has(group.problem.code))
  for (const group of fresh) told.add(group.problem.code)
  const attention = settings.notify_attention ? attentionNotice(fresh) : null
  const overnight =
    settings.notify_overnight_done && nightIsDone && wasUnfinished ? nightNotice(status) : null
  return {
    memory: { told, unfinishedNight },
    notices: [attention, overnight].filter((notice) => notice !== null),
  }
}
