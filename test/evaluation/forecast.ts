import { openSpans } from '../../main/agent/domain/upload-windows.ts'
import { Outlook } from '../../main/agent/outlook/outlook.ts'
import type { KnownForecast } from '../../shared/status/forecast.ts'
import { seeded } from '../support/seeded.ts'
import { openTempJournal } from '../support/temp-journal.ts'
import { percent, writePage } from './page.ts'
import {
  addRecording,
  finishRecording,
  type Kind,
  kinds,
  MINUTE_MS,
  settingsOf,
  simulateYear,
} from './simulated-year.ts'

const FORECAST_HOURS = [16, 19, 21, 23, 1, 3]
/** The first nights train the model and are not judged. */
const LEARNING_DAYS = 10
const RECENT_MINUTES = 30
/** Shorter times are over before a user has read them. */
const MIN_REMAINING_MS = 30 * MINUTE_MS
const BYTES_PER_MBIT = 125_000

type Question = {
  readonly hour: number
  readonly minute: number
  /** Noon to noon: all forecasts in between belong to one night. */
  readonly night: string
  readonly forecast: KnownForecast
  /** Bytes sent before the forecast, and bytes to send until its end. */
  readonly sentBefore: number
  readonly bytes: number
}

export type Asked = {
  readonly hour: number
  readonly night: string
  /** |forecast − actual| / actual, of the time that remained. */
  readonly error: number
  readonly inRange: boolean
  readonly saidShort: boolean
  readonly wasShort: boolean
  readonly hasDeadline: boolean
}

/** Plays the year once with forecasts, then scores them. */
export const askForAYear = (kind: Kind, days: number, seed: number): readonly Asked[] => {
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
  const questions: Question[] = []
  const sentUpTo = new Float64Array(year.minutes)
  const waiting: { readonly id: number; left: number }[] = []
  let next = 0
  let sent = 0
  try {
    journal.station.setVolume(folder.path, { device: '1', inode: '1' }, year.startMs)
    const live = (minute: number) => {
      clock.nowMs = year.startMs + minute * MINUTE_MS
      for (
        let made = year.recordings[next];
        made !== undefined && made.minute <= minute;
        made = year.recordings[next]
      ) {
        waiting.push({ id: addRecording(journal, folder, next, made.bytes), left: made.bytes })
        next += 1
      }
      while (spans[0] !== undefined && spans[0].toMs <= clock.nowMs) spans.shift()
      const open = spans[0] !== undefined && spans[0].fromMs <= clock.nowMs ? spans[0] : null
      const line = year.bytesPerSecond[minute] ?? 0
      const isSending = open !== null && waiting.length > 0 && line > 0
      const limit = open === null || open.limitMbitPerS === null ? null : open.limitMbitPerS * BYTES_PER_MBIT
      const bytesPerSecond = Math.min(line, limit ?? Number.POSITIVE_INFINITY)
      let left = isSending ? bytesPerSecond * 60 : 0
      let gone = 0
      while (left > 0 && waiting[0] !== undefined) {
        const part = Math.min(left, waiting[0].left)
        waiting[0].left -= part
        left -= part
        gone += part
        if (waiting[0].left > 0) break
        finishRecording(journal, waiting[0].id)
        waiting.shift()
      }
      const seconds = isSending ? gone / bytesPerSecond : 0
      recentLimit = limit
      recentBytes[minute % RECENT_MINUTES] = gone
      recentSeconds[minute % RECENT_MINUTES] = seconds
      if (isSending) journal.rates.addSent({ bytes: Math.round(gone), seconds, limitBytesPerSecond: limit })
      sent += gone
      sentUpTo[minute] = sent
      const at = new Date(clock.nowMs)
      if (at.getMinutes() !== 0 || minute < LEARNING_DAYS * 1_440 || !FORECAST_HOURS.includes(at.getHours()))
        return
      const bytes = waiting.reduce((all, one) => all + one.left, 0)
      const forecast = outlook.forecast({
        settings: { transfer: settings.transfer, folders: [folder.path] },
        bytes,
        // During an outage, the station shows the reason for the wait and no time.
        stopped: line === 0,
        pause: null,
        nowMs: clock.nowMs,
      })
      if (forecast.kind !== 'known') return
      const night = new Date(clock.nowMs - 12 * 3_600_000).toDateString()
      questions.push({ hour: at.getHours(), minute, night, forecast, sentBefore: sent, bytes })
    }
    const A_DAY = 1_440
    for (let from = 0; from < year.minutes; from += A_DAY)
      journal.transaction(() => {
        for (let minute = from; minute < Math.min(from + A_DAY, year.minutes); minute += 1) live(minute)
      })
  } finally {
    close()
  }
  return questions.flatMap((question) => {
    const { forecast, minute, sentBefore, bytes } = question
    const nowMs = year.startMs + minute * MINUTE_MS
    // Compares with half a byte less, to allow for rounding errors.
    const ahead = sentUpTo.subarray(minute).findIndex((upTo) => upTo >= sentBefore + bytes - 0.5)
    const remainingMs = ahead * MINUTE_MS
    if (ahead < 0 || remainingMs < MIN_REMAINING_MS || forecast.doneAt === null) return []
    const at = (moment: string | null) => (moment === null ? Number.POSITIVE_INFINITY : Date.parse(moment))
    const doneMs = nowMs + remainingMs
    return [
      {
        hour: question.hour,
        night: question.night,
        error: Math.abs(at(forecast.doneAt) - nowMs - remainingMs) / remainingMs,
        inRange: at(forecast.earliest) <= doneMs && doneMs <= at(forecast.latest),
        saidShort: forecast.bytesShort > 0,
        wasShort: doneMs > at(forecast.deadline),
        hasDeadline: forecast.deadline !== null,
      },
    ]
  })
}

const WITHIN = 0.2

const middle = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

export type Judgement = {
  readonly questions: number
  readonly within: number
  /** The share of nights with a median forecast error within 20 %. */
  readonly nightsWithin: number
  readonly nights: number
  readonly medianError: number
  readonly inRange: number
  readonly shortRight: number
  readonly shortFalse: number
  readonly shortMissed: number
  readonly withDeadline: number
}

export const judge = (asked: readonly Asked[]): Judgement => {
  const share = (count: number) => (asked.length === 0 ? 0 : count / asked.length)
  const count = (test: (one: Asked) => boolean) => asked.filter(test).length
  const nights = Object.values(Object.groupBy(asked, ({ night }) => night)).map((of) => of ?? [])
  const goodNights = nights.filter((of) => middle(of.map(({ error }) => error)) <= WITHIN).length
  return {
    questions: asked.length,
    within: share(count(({ error }) => error <= WITHIN)),
    nights: nights.length,
    nightsWithin: nights.length === 0 ? 0 : goodNights / nights.length,
    medianError: middle(asked.map(({ error }) => error)),
    inRange: share(count(({ inRange }) => inRange)),
    shortRight: count(({ saidShort, wasShort }) => saidShort && wasShort),
    shortFalse: count(({ saidShort, wasShort }) => saidShort && !wasShort),
    shortMissed: count(({ saidShort, wasShort }) => !saidShort && wasShort),
    withDeadline: count(({ hasDeadline }) => hasDeadline),
  }
}

const row = (name: string, judged: Judgement): string =>
  `| ${[
    name,
    judged.questions,
    percent(judged.within),
    percent(judged.medianError),
    percent(judged.inRange),
  ].join(' | ')} |`

const DAYS = 365
const SEED = 12

export const evaluateForecast = async (): Promise<void> => {
  const years = kinds.map((kind) => ({ kind, asked: askForAYear(kind, DAYS, SEED) }))
  const all = years.flatMap(({ kind, asked }) =>
    asked.map((one) => ({ ...one, night: `${kind.name} ${one.night}` })),
  )
  const judged = judge(all)
  const hours = FORECAST_HOURS.map((hour) =>
    row(`made at ${String(hour).padStart(2, '0')}:00`, judge(all.filter((one) => one.hour === hour))),
  )
  const text = [
    '| | forecasts | within 20 % | median error | inside the range |',
    '|---|--:|--:|--:|--:|',
    ...years.map(({ kind, asked }) => row(kind.name, judge(asked))),
    ...hours,
    row('all', judged),
    '',
    '| nights | |',
    '|---|--:|',
    `| nights with a forecast | ${judged.nights} |`,
    `| of these, median forecast within 20 % | ${percent(judged.nightsWithin)} |`,
    '',
    '| “not by the end of the upload hours” | |',
    '|---|--:|',
    `| forecasts with a deadline | ${judged.withDeadline} |`,
    `| predicted late, was late | ${judged.shortRight} |`,
    `| predicted late, was on time | ${judged.shortFalse} |`,
    `| predicted on time, was late | ${judged.shortMissed} |`,
  ].join('\n')
  await writePage('forecast', text)
}
