import type { Forecast, KnownForecast } from './forecast.ts'
import { formatBytes, formatClock, formatDuration, formatRate, momentInSentence, plural } from './format.ts'

/** What window, tray and terminal say of a forecast: one choice of words, so that they agree. */

const CLOCK_ALONE_MS = 18 * 3_600_000
const ABOUT_MS = 10 * 60_000

/** "02:40" for tonight, "tomorrow 20:30" for what is further away. */
const moment = (at: string, nowMs: number): string =>
  Date.parse(at) - nowMs < CLOCK_ALONE_MS ? formatClock(at) : momentInSentence(at, nowMs)

const isShort = (forecast: KnownForecast): forecast is KnownForecast & { readonly deadline: string } =>
  forecast.deadline !== null && forecast.bytesShort > 0

/** In a line of figures: "done about 02:40". Null where nothing can be said. */
export const doneInBrief = (forecast: Forecast, nowMs: number): string | null => {
  if (forecast.kind !== 'known') return null
  if (isShort(forecast)) return `not done by ${moment(forecast.deadline, nowMs)}`
  return forecast.doneAt === null ? 'not within two weeks' : `done about ${moment(forecast.doneAt, nowMs)}`
}

/** In brackets behind what is on the way: "uploaded by about 02:40", "18.0 GB not done by 06:00". */
export const doneInHeadline = (forecast: Forecast, nowMs: number): string | null => {
  if (forecast.kind !== 'known') return null
  if (isShort(forecast))
    return `${formatBytes(forecast.bytesShort)} not done by ${moment(forecast.deadline, nowMs)}`
  return forecast.doneAt === null ? null : `uploaded by about ${moment(forecast.doneAt, nowMs)}`
}

/** The one figure of the card: when. */
export const doneLead = (forecast: KnownForecast, nowMs: number): string => {
  if (isShort(forecast)) return `Not done by ${moment(forecast.deadline, nowMs)}`
  return forecast.doneAt === null ? 'Not within two weeks' : `About ${moment(forecast.doneAt, nowMs)}`
}

/** Beside it: how sure that is, or what is missing. */
export const doneAside = (forecast: KnownForecast, nowMs: number): string => {
  if (isShort(forecast)) return `${formatBytes(forecast.bytesShort)} short when the upload hours end`
  const { earliest, latest } = forecast
  if (earliest === null) return ''
  if (latest === null) return `not before ${moment(earliest, nowMs)}`
  // "About 08:55" says as much.
  if (Date.parse(latest) - Date.parse(earliest) <= ABOUT_MS) return ''
  return `between ${moment(earliest, nowMs)} and ${moment(latest, nowMs)}`
}

const spare = ({ doneAt, deadline }: KnownForecast, nowMs: number): string => {
  if (doneAt === null || deadline === null) return ''
  const seconds = (Date.parse(deadline) - Date.parse(doneAt)) / 1000
  return seconds <= 0
    ? ` Just fits the upload hours, until ${moment(deadline, nowMs)}.`
    : ` Fits the upload hours, until ${moment(deadline, nowMs)}, with ${formatDuration(seconds)} to spare.`
}

const moreWords = ({ more, deadline }: KnownForecast, nowMs: number): string => {
  if (more === null) return ''
  const usually = `${formatBytes(more.bytes)} more ${deadline === null ? 'is usually recorded before noon' : 'is usually recorded by then'}`
  if (more.bytesShort > 0)
    return ` ${usually}; with that, about ${formatBytes(more.bytesShort)} would wait for the next upload hours.`
  return more.doneAt === null ? '' : ` ${usually}; with that, done about ${moment(more.doneAt, nowMs)}.`
}

/** The sentences below it. `problem`: what keeps the station, where something does. */
export const doneSentences = (forecast: Forecast, nowMs: number, problem: string | null): string => {
  switch (forecast.kind) {
    case 'nothing':
      return 'Nothing to upload.'
    case 'unmeasured':
      return `${formatBytes(forecast.bytes)} to upload. How long that takes is measured once the first recording uploads.`
    case 'held':
      return heldWords(forecast, problem)
    case 'known': {
      const { bytes, bytesPerSecond, startsAt } = forecast
      const start = startsAt === null ? '' : ` Starts ${momentInSentence(startsAt, nowMs)}.`
      const rate = `${formatBytes(bytes)} left at about ${formatRate(bytesPerSecond)}.${start}`
      if (!isShort(forecast)) return `${rate}${spare(forecast, nowMs)}${moreWords(forecast, nowMs)}`
      const { doneAt } = forecast
      return `${rate}${doneAt === null ? '' : ` All of it will be done by about ${moment(doneAt, nowMs)}.`}`
    }
  }
}

const heldWords = ({ bytes, by }: Extract<Forecast, { kind: 'held' }>, problem: string | null): string => {
  const waits = `${formatBytes(bytes)} to upload`
  switch (by) {
    case 'pause':
      return `${waits} once uploads are resumed.`
    case 'hours':
      return `${waits}, but the upload hours never begin.`
    case 'problem':
      return `${waits}. ${problem ?? ''}`.trim()
  }
}

/** "3 recordings at risk". */
export const atRiskWords = (recordings: number): string => `${plural(recordings, 'recording')} at risk`

/** All of it on one line, for a terminal. */
export const forecastLine = (forecast: Forecast, nowMs: number, problem: string | null): string => {
  const sentences = doneSentences(forecast, nowMs, problem)
  if (forecast.kind !== 'known') return sentences
  const aside = doneAside(forecast, nowMs)
  const risk = forecast.atRisk === null ? '' : ` ${atRiskWords(forecast.atRisk.recordings)}.`
  return `${doneLead(forecast, nowMs)}${aside === '' ? '' : ` (${aside})`}. ${sentences}${risk}`
}
