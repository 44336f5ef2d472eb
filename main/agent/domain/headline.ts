import { formatClock, formatCount, momentInSentence, plural } from '../../../shared/format.ts'
import type { Problem, RecordingState } from '../../../shared/status.ts'
import { allSafe } from '../../../shared/words.ts'

/** The one sentence that has to be right at all times. */
export type Situation = {
  readonly configured: boolean
  readonly counts: Readonly<Record<RecordingState, number>>
  readonly stop: Problem | null
  readonly pausedUntil: string | null
  readonly paused: boolean
  readonly windowOpensAt: string | null
  readonly folderProblem: string | null
  readonly needPerson: number
  readonly etaSeconds: number | null
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

export const headline = (situation: Situation): string => {
  const { counts, stop, needPerson } = situation
  const toUpload = counts.queued + counts.hashing + counts.ready + counts.uploading + counts.completing
  const waiting = toUpload + counts.growing
  const held = waiting > 0 ? ` ${plural(waiting, 'recording waits', 'recordings wait')}.` : ''
  if (!situation.configured) return 'Sluice is not set up yet.'
  if (stop !== null) return `${stop.sentence}${held}`
  if (needPerson > 0) {
    const active = counts.uploading + counts.completing
    const rest =
      active > 0 && !situation.paused ? ` Uploading ${formatCount(active)} of ${formatCount(toUpload)}.` : ''
    return `${plural(needPerson, 'recording needs', 'recordings need')} you.${rest}`
  }
  if (situation.folderProblem !== null) return situation.folderProblem
  if (situation.paused) {
    const until =
      situation.pausedUntil === null ? 'until you resume' : `until ${formatClock(situation.pausedUntil)}`
    return `Paused ${until}.${held}`
  }
  if (toUpload > 0) {
    if (situation.windowOpensAt !== null)
      return `${plural(toUpload, 'recording waits', 'recordings wait')} for the upload hours, from ${momentInSentence(situation.windowOpensAt, situation.nowMs)} on.`
    const eta = situation.etaSeconds === null ? '' : `, about ${aboutTime(situation.etaSeconds)} left`
    const active = counts.uploading + counts.completing
    if (active === 0) return `Preparing ${plural(toUpload, 'recording', 'recordings')}.`
    return `Uploading ${formatCount(active)} of ${plural(toUpload, 'recording', 'recordings')}${eta}.`
  }
  if (counts.growing > 0)
    return `${plural(counts.growing, 'recording is', 'recordings are')} being written. Everything before is safe.`
  if (counts.processing > 0)
    return `Uploaded. The service is processing ${plural(counts.processing, 'recording', 'recordings')}.`
  if (counts.processed === 0) return 'Ready. Waiting for the first recording.'
  const last =
    situation.lastProcessedAtMs === null
      ? ''
      : ` Last one ${ago(situation.lastProcessedAtMs, situation.nowMs)}.`
  return `${allSafe(counts.processed)}${last}`
}
