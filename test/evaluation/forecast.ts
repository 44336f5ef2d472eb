import { openSpans } from '../../main/agent/domain/upload-windows.ts'
import { Outlook } from '../../main/agent/outlook/outlook.ts'
import type { KnownForecast } from '../../shared/status/forecast.ts'
import { seeded } from '../support/seeded.ts'
import { openTempJournal } from '../support/temp-journal.ts'
import { percent, writePage } from './page.ts'
import {
  addRecording,
  DAY_MINUTES,
  finishRecording,
  type Kind,
  kinds,
  MINUTE_MS,
  settingsOf,
  simulateYear,
} from './simulated-year.ts'

const FORECAST_HOURS = [16, 19, 21, 23, 1, 3]
/** The first nights train the model and are not scored. */
const LEARNING_DAYS = 10
const RECENT_MINUTES = 30
/** Forecasts of shorter uploads are not scored. */
const MIN_REMAINING_MS = 30 * MINUTE_MS
const BYTES_PER_MBIT = 125_000

type PendingForecast = {
  readonly hour: number
  readonly minute: number
  /** A night lasts from noon to noon. */
  readonly night: string
  readonly forecast: KnownForecast
  readonly sentBytesBefore: number
  readonly bytesToSend: number
}

export type ScoredForecast = {
  readonly hour: number
  readonly night: string
  /** |forecast − actual| / actual, of the remaining time. */
  readonly error: number
  readonly inRange: boolean
  readonly isPredictedLate: boolean
  readonly wasLate: boolean
  readonly hasDeadline: boolean
}

/** Simulates a year, makes the forecasts of each day, and then scores them by the actual outcome. */
export const forecastYear = (kind: Kind, days: number, seed: number): readonly ScoredForecast[] => {
  const year = simulateYear(kind, days, seeded(seed))
  const settings = settingsOf(kind)
  const [folder] = settings.folders
  if (folder === undefined) throw new Error('a folder is needed')
  const clock = { nowMs: year.startMs }
  const { journal, close } = openTempJournal(() => clock.nowMs)
  const recentBytes = new Float64Array(RECENT_MINUTES)
  let recentLimit: number | null = null
  const recentSeconds = new Float64Array(RECENT_MINUTES)
  const sum = (values: Float64Array) => values.reduce((all, value) => all + value, 0)
  const outlook = new Outlook(journal, () => ({
    bytes: sum(recentBytes),
    seconds: sum(recentSeconds),
    limitBytesPerSecond: recentLimit,
  }))
  const endMs = year.startMs + year.minutes * MINUTE_MS
  const spans = [...openSpans(settings.transfer, year.startMs, endMs)]
  const pending: PendingForecast[] = []
  const sentUpTo = new Float64Array(year.minutes)
  const waiting: { readonly id: number; bytesLeft: number }[] = []
  let next = 0
  let sent = 0
  try {
    journal.volumes.setVolume(folder.path, { device: '1', inode: '1' }, year.startMs)
    const simulateMinute = (minute: number) => {
      clock.nowMs = year.startMs + minute * MINUTE_MS
      for (
        let recording = year.recordings[next];
        recording !== undefined && recording.minute <= minute;
        recording = year.recordings[next]
      ) {
        waiting.push({ id: addRecording(journal, folder, next, recording.bytes), bytesLeft: recording.bytes })
        next += 1
      }
      while (spans[0] !== undefined && spans[0].toMs <= clock.nowMs) spans.shift()
      const open = spans[0] !== undefined && spans[0].fromMs <= clock.nowMs ? spans[0] : null
      const line = year.bytesPerSecond[minute] ?? 0
      const isSending = open !== null && waiting.length > 0 && line > 0
      const limit = open === null || open.limitMbitPerS === null ? null : open.limitMbitPerS * BYTES_PER_MBIT
      const bytesPerSecond = Math.min(line, limit ?? Number.POSITIVE_INFINITY)
      let budgetBytes = isSending ? bytesPerSecond * 60 : 0
      let sentBytes = 0
      while (budgetBytes > 0 && waiting[0] !== undefined) {
        const part = Math.min(budgetBytes, waiting[0].bytesLeft)
        waiting[0].bytesLeft -= part
        budgetBytes -= part
        sentBytes += part
        if (waiting[0].bytesLeft > 0) break
        finishRecording(journal, waiting[0].id)
        waiting.shift()
      }
      const seconds = isSending ? sentBytes / bytesPerSecond : 0
      recentLimit = limit
      recentBytes[minute % RECENT_MINUTES] = sentBytes
      recentSeconds[minute % RECENT_MINUTES] = seconds
      if (isSending)
        journal.rates.addSent({ bytes: Math.round(sentBytes), seconds, limitBytesPerSecond: limit })
      sent += sentBytes
      sentUpTo[minute] = sent
      const at = new Date(clock.nowMs)
      if (
        at.getMinutes() !== 0 ||
        minute < LEARNING_DAYS * DAY_MINUTES ||
        !FORECAST_HOURS.includes(at.getHours())
      )
        return
      const bytes = waiting.reduce((all, one) => all + one.bytesLeft, 0)
      const forecast = outlook.forecast({
        settings: { transfer: settings.transfer, folders: [folder.path] },
        bytes,
        // During an outage, the station shows the reason for the wait and no forecast.
        stopped: line === 0,
        pause: null,
        nowMs: clock.nowMs,
      })
      if (forecast.kind !== 'known') return
      const night = new Date(clock.nowMs - 12 * 3_600_000).toDateString()
      pending.push({
        hour: at.getHours(),
        minute,
        night,
        forecast,
        sentBytesBefore: sent,
        bytesToSend: bytes,
      })
    }
    for (let from = 0; from < year.minutes; from += DAY_MINUTES)
      journal.transaction(() => {
        for (let minute = from; minute < Math.min(from + DAY_MINUTES, year.minutes); minute += 1)
          simulateMinute(minute)
      })
  } finally {
    close()
  }
  return pending.flatMap((one) => {
    const { forecast, minute, sentBytesBefore, bytesToSend } = one
    const nowMs = year.startMs + minute * MINUTE_MS
    // Compares with half a byte less, to allow for rounding errors.
    const ahead = sentUpTo.subarray(minute).findIndex((upTo) => upTo >= sentBytesBefore + bytesToSend - 0.5)
    const remainingMs = ahead * MINUTE_MS
    if (ahead < 0 || remainingMs < MIN_REMAINING_MS || forecast.doneAt === null) return []
    const at = (moment: string | null) => (moment === null ? Number.POSITIVE_INFINITY : Date.parse(moment))
    const doneMs = nowMs + remainingMs
    return [
      {
        hour: one.hour,
        night: one.night,
        error: Math.abs(at(forecast.doneAt) - nowMs - remainingMs) / remainingMs,
        inRange: at(forecast.earliest) <= doneMs && doneMs <= at(forecast.latest),
        isPredictedLate: forecast.bytesShort > 0,
        wasLate: doneMs > at(forecast.deadline),
        hasDeadline: forecast.deadline !== null,
      },
    ]
  })
}

const MAX_GOOD_ERROR = 0.2

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

export type ForecastScore = {
  readonly count: number
  readonly withinShare: number
  /** The share of nights with a median forecast error within 20 %. */
  readonly nightsWithinShare: number
  readonly nights: number
  readonly medianError: number
  readonly inRangeShare: number
  readonly lateRight: number
  readonly lateFalse: number
  readonly lateMissed: number
  readonly withDeadline: number
}

export const scoreForecasts = (forecasts: readonly ScoredForecast[]): ForecastScore => {
  const share = (count: number) => (forecasts.length === 0 ? 0 : count / forecasts.length)
  const count = (test: (one: ScoredForecast) => boolean) => forecasts.filter(test).length
  const nights = Object.values(Object.groupBy(forecasts, ({ night }) => night)).map((of) => of ?? [])
  const goodNights = nights.filter((of) => median(of.map(({ error }) => error)) <= MAX_GOOD_ERROR).length
  return {
    count: forecasts.length,
    withinShare: share(count(({ error }) => error <= MAX_GOOD_ERROR)),
    nights: nights.length,
    nightsWithinShare: nights.length === 0 ? 0 : goodNights / nights.length,
    medianError: median(forecasts.map(({ error }) => error)),
    inRangeShare: share(count(({ inRange }) => inRange)),
    lateRight: count(({ isPredictedLate, wasLate }) => isPredictedLate && wasLate),
    lateFalse: count(({ isPredictedLate, wasLate }) => isPredictedLate && !wasLate),
    lateMissed: count(({ isPredictedLate, wasLate }) => !isPredictedLate && wasLate),
    withDeadline: count(({ hasDeadline }) => hasDeadline),
  }
}

const row = (name: string, score: ForecastScore): string =>
  `| ${[
    name,
    score.count,
    percent(score.withinShare),
    percent(score.medianError),
    percent(score.inRangeShare),
  ].join(' | ')} |`

const DAYS = 365
const SEED = 12

export const evaluateForecast = async (): Promise<void> => {
  const years = kinds.map((kind) => ({ kind, forecasts: forecastYear(kind, DAYS, SEED) }))
  const all = years.flatMap(({ kind, forecasts }) =>
    forecasts.map((one) => ({ ...one, night: `${kind.name} ${one.night}` })),
  )
  const score = scoreForecasts(all)
  const hours = FORECAST_HOURS.map((hour) =>
    row(
      `made at ${String(hour).padStart(2, '0')}:00`,
      scoreForecasts(all.filter((one) => one.hour === hour)),
    ),
  )
  const text = [
    '| | forecasts | within 20 % | median error | inside the range |',
    '|---|--:|--:|--:|--:|',
    ...years.map(({ kind, forecasts }) => row(kind.name, scoreForecasts(forecasts))),
    ...hours,
    row('all', score),
    '',
    '| nights | |',
    '|---|--:|',
    `| nights with a forecast | ${score.nights} |`,
    `| of these, median forecast within 20 % | ${percent(score.nightsWithinShare)} |`,
    '',
    '| “not by the end of the upload hours” | |',
    '|---|--:|',
    `| forecasts with a deadline | ${score.withDeadline} |`,
    `| predicted late, was late | ${score.lateRight} |`,
    `| predicted late, was on time | ${score.lateFalse} |`,
    `| predicted on time, was late | ${score.lateMissed} |`,
  ].join('\n')
  await writePage('forecast', text)
}
