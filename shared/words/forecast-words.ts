import { conditionCodeOf } from '../status/conditions.ts'
import { FIRST_MEASUREMENT_SECONDS, type Forecast, type KnownForecast } from '../status/forecast.ts'
import type { Problem } from '../status/problem.ts'
import {
  aboutMoment,
  capitalise,
  formatBytes,
  formatClock,
  formatDuration,
  formatEta,
  momentInSentence,
  plural,
} from './format.ts'
import { PAUSED_WORDS, splitDetail } from './words.ts'

/** The texts of a forecast. Window, tray and terminal share them, so that all three agree. */

const CLOCK_ONLY_MS = 18 * 3_600_000
const NARROW_RANGE_MS = 10 * 60_000

/** "02:40" within the next 18 hours, otherwise "tomorrow 20:30". */
const momentWords = (at: string, nowMs: number): string =>
  Date.parse(at) - nowMs < CLOCK_ONLY_MS ? formatClock(at) : momentInSentence(at, nowMs)

/** "about 02:40" within the next 18 hours, otherwise "tomorrow about 20:30". */
const aboutWords = (at: string, nowMs: number): string =>
  Date.parse(at) - nowMs < CLOCK_ONLY_MS ? `about ${formatClock(at)}` : aboutMoment(at, nowMs)

const missesDeadline = (forecast: KnownForecast): forecast is KnownForecast & { readonly deadline: string } =>
  forecast.deadline !== null && forecast.bytesShort > 0

/** For a line of figures: "done about 02:40". Null if the forecast is unknown. */
export const doneInBrief = (forecast: Forecast, nowMs: number): string | null => {
  if (forecast.kind !== 'known') return null
  if (missesDeadline(forecast)) return `not done by ${momentWords(forecast.deadline, nowMs)}`
  return forecast.doneAt === null ? 'takes over two weeks' : `done ${aboutWords(forecast.doneAt, nowMs)}`
}

/** For the headline, after the number of uploads: "done about 02:40", "18.0 GB not done by 06:00". */
export const doneInHeadline = (forecast: Forecast, nowMs: number): string | null => {
  if (forecast.kind !== 'known') return null
  if (missesDeadline(forecast))
    return `${formatBytes(forecast.bytesShort)} not done by ${momentWords(forecast.deadline, nowMs)}`
  return forecast.doneAt === null ? null : `done ${aboutWords(forecast.doneAt, nowMs)}`
}

/** The main figure: a time, or words if there is no time. */
export const doneTitle = (forecast: Forecast, nowMs: number): string => {
  switch (forecast.kind) {
    case 'nothing':
      return 'Nothing to upload'
    case 'unmeasured':
      return 'No estimate yet'
    case 'held':
      return 'Unknown'
    case 'known':
      if (missesDeadline(forecast)) return `Not done by ${momentWords(forecast.deadline, nowMs)}`
      return forecast.doneAt === null ? 'Over two weeks' : capitalise(aboutWords(forecast.doneAt, nowMs))
  }
}

const heldReason = (by: Extract<Forecast, { kind: 'held' }>['by'], stop: string | null): string => {
  switch (by) {
    case 'pause':
      return 'Paused'
    case 'hours':
      return 'No upload hours'
    case 'problem':
      return stop ?? 'Stopped'
  }
}

/**
 * The words beside the main figure: the time left and the range in which the uploads will end. If the uploads miss the
 * deadline: the bytes that will not be uploaded by then.
 */
export const doneRange = (forecast: KnownForecast, nowMs: number): string => {
  if (missesDeadline(forecast)) return `${formatBytes(forecast.bytesShort)} not uploaded when uploads stop`
  return [timeLeftWords(forecast, nowMs), rangeWords(forecast, nowMs)]
    .filter((words) => words !== '')
    .join(', ')
}

/** The same words as for a single upload, so that users can compare the times. Empty before the uploads start. */
const timeLeftWords = ({ doneAt, startsAt }: KnownForecast, nowMs: number): string =>
  doneAt === null || startsAt !== null ? '' : formatEta((Date.parse(doneAt) - nowMs) / 1000)

const rangeWords = ({ earliest, latest }: KnownForecast, nowMs: number): string => {
  if (earliest === null) return ''
  if (latest === null) return `not before ${momentWords(earliest, nowMs)}`
  // For a narrow range, the main figure ("About 08:55") is enough.
  if (Date.parse(latest) - Date.parse(earliest) <= NARROW_RANGE_MS) return ''
  return `between ${momentWords(earliest, nowMs)} and ${momentWords(latest, nowMs)}`
}

const spareTimeWords = ({ doneAt, deadline }: KnownForecast, nowMs: number): string => {
  if (doneAt === null || deadline === null) return ''
  const seconds = (Date.parse(deadline) - Date.parse(doneAt)) / 1000
  return seconds <= 0
    ? ` Done just before uploads stop at ${momentWords(deadline, nowMs)}.`
    : ` Done ${formatDuration(seconds)} before uploads stop at ${momentWords(deadline, nowMs)}.`
}

const moreWords = ({ more, deadline }: KnownForecast, nowMs: number): string => {
  if (more === null) return ''
  const usually = `Usually ${formatBytes(more.bytes)} more is recorded ${deadline === null ? 'before noon' : 'by then'}`
  if (more.bytesShort > 0)
    return ` ${usually}: about ${formatBytes(more.bytesShort)} would wait for the next upload hours.`
  return more.doneAt === null ? '' : ` ${usually}: done ${aboutWords(more.doneAt, nowMs)}.`
}

type StoppedStation = {
  readonly paused: boolean
  readonly problem: Pick<Problem, 'code' | 'sentence'> | null
}

/** The pause and the problem that stop the station, in the words of the headline. Null if nothing stops it. */
export const stopWords = ({ paused, problem }: StoppedStation): string | null => {
  const problemWords =
    problem === null ? [] : [conditionCodeOf(problem.code)?.shortWords ?? splitDetail(problem.sentence).plain]
  const words = [...(paused ? [PAUSED_WORDS] : []), ...problemWords]
  return words.length === 0 ? null : words.join(' · ')
}

/** The sentences below the main figure. `stop`: what stops the station, or null. */
export const doneSentences = (forecast: Forecast, nowMs: number, stop: string | null): string => {
  switch (forecast.kind) {
    case 'nothing':
      return ''
    case 'unmeasured':
      return `${formatBytes(forecast.bytes)} to upload. Forecast available after ${FIRST_MEASUREMENT_SECONDS} s of uploading.`
    case 'held':
      return `${heldReason(forecast.by, stop)}. ${formatBytes(forecast.bytes)} to upload${forecast.by === 'pause' ? ' when uploads resume' : ''}.`
    case 'known': {
      const { bytes, startsAt } = forecast
      const start = startsAt === null ? '' : ` Starts ${momentInSentence(startsAt, nowMs)}.`
      // Leave out the expected average speed: beside the current speed, it would look like an error.
      const leftWords = `${formatBytes(bytes)} left.${start}`
      if (!missesDeadline(forecast))
        return `${leftWords}${spareTimeWords(forecast, nowMs)}${moreWords(forecast, nowMs)}`
      const { doneAt } = forecast
      return `${leftWords}${doneAt === null ? '' : ` All done ${aboutWords(doneAt, nowMs)}.`}`
    }
  }
}

/** "3 recordings at risk". */
export const atRiskWords = (recordings: number): string => `${plural(recordings, 'recording')} at risk`

/** The whole forecast on one line, for a terminal. */
export const forecastLine = (forecast: Forecast, nowMs: number, stop: string | null): string => {
  const sentences = doneSentences(forecast, nowMs, stop)
  const title = doneTitle(forecast, nowMs)
  if (forecast.kind !== 'known') return `${title}. ${sentences}`.trim()
  const range = doneRange(forecast, nowMs)
  const risk = forecast.atRisk === null ? '' : ` ${atRiskWords(forecast.atRisk.recordings)}.`
  return `${title}${range === '' ? '' : ` (${range})`}. ${sentences}${risk}`
}
