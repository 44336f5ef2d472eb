import type { Forecast } from '../../../shared/status/forecast.ts'
import { countIn, totalOf } from '../../../shared/status/night-parts.ts'
import { needsSomebody, type Problem, type Status } from '../../../shared/status/status.ts'
import { doneInHeadline } from '../../../shared/words/forecast-words.ts'
import { formatClock, momentInSentence, plural } from '../../../shared/words/format.ts'
import { allSafe, needSentence, safeSentence } from '../../../shared/words/words.ts'

/** What the headline depends on. */
export type Situation = {
  readonly configured: boolean
  readonly standings: Status['standings']
  readonly needs: Status['needs']
  readonly stop: Problem | null
  readonly pausedUntil: string | null
  readonly paused: boolean
  readonly windowOpensAt: string | null
  readonly folderProblem: string | null
  /** About a silent folder whose alarm is on. */
  readonly silence: string | null
  /** About a drive that runs out of space tonight. */
  readonly room: string | null
  readonly forecast: Forecast
  readonly lastProcessedAtMs: number | null
  readonly nowMs: number
}

const aboutTime = (seconds: number): string => {
  if (seconds < 50) return 'less than a minute'
  const minutes = Math.round(seconds / 60)
  if (minutes < 90) return plural(minutes, 'minute', 'minutes')
  const hours = Math.round(minutes / 60)
  if (hours < 36) return plural(hours, 'hour', 'hours')
  return plural(Math.round(hours / 24), 'day', 'days')
}

const ago = (atMs: number, nowMs: number): string => {
  const seconds = Math.max((nowMs - atMs) / 1000, 0)
  return seconds < 50 ? 'just now' : `${aboutTime(seconds)} ago`
}

const sentences = (...given: readonly (string | null)[]): readonly string[] =>
  given.filter((sentence) => sentence !== null)

/** Counts all recordings of the station; the night bar counts tonight's. */
const inAll = (standings: Status['standings'], done: string | null): string =>
  `${safeSentence(standings, done)}.`

export const headline = (situation: Situation): string => {
  const { standings, stop, nowMs } = situation
  const total = totalOf(standings)
  const here = countIn(standings, 'here')
  const toUpload = standings.waiting + standings.uploading
  const held = here > 0 ? ` ${plural(here, 'recording waits', 'recordings wait')} on this PC.` : ''
  const done = doneInHeadline(situation.forecast, nowMs)
  if (!situation.configured) return 'Sluice is not set up yet.'
  const isNeeded = standings['needs-someone'] > 0
  const needed = isNeeded ? [`${needSentence(situation.needs)}.`] : []
  const alarms = sentences(situation.room, situation.silence)
  if (stop !== null) {
    // A stop that clears by itself must not hide problems that need attention.
    const before = needsSomebody(stop) ? [] : [...sentences(situation.folderProblem), ...alarms, ...needed]
    return [...before, `${stop.sentence}${held}`].join(' ')
  }
  if (isNeeded)
    return [...sentences(situation.folderProblem), ...alarms, ...needed, inAll(standings, done)].join(' ')
  if (situation.folderProblem !== null) return [situation.folderProblem, ...alarms].join(' ')
  if (alarms.length > 0) {
    const safe = standings.safe === total ? allSafe(total) : inAll(standings, done)
    return [...alarms, ...(total === 0 ? [] : [safe])].join(' ')
  }
  if (situation.paused) {
    const until =
      situation.pausedUntil === null ? 'until you resume' : `until ${formatClock(situation.pausedUntil)}`
    return `Paused ${until}.${held}`
  }
  if (toUpload > 0 && situation.windowOpensAt !== null)
    return `${plural(toUpload, 'recording waits', 'recordings wait')} for upload hours from ${momentInSentence(situation.windowOpensAt, nowMs)}${done === null ? '' : `, ${done}`}.`
  if (total === 0) return 'Ready. Waiting for the first recording.'
  if (standings.safe < total) return inAll(standings, done)
  return allSafe(total, situation.lastProcessedAtMs === null ? null : ago(situation.lastProcessedAtMs, nowMs))
}
