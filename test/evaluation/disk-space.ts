import { fillingOf } from '../../main/agent/domain/low-space.ts'
import { nightEnd, usualBetween } from '../../main/agent/domain/usual-recording.ts'
import { Outlook } from '../../main/agent/outlook/outlook.ts'
import { seeded } from '../support/seeded.ts'
import { openTempJournal } from '../support/temp-journal.ts'
import { percent, writePage } from './page.ts'
import { addRecording, type Kind, kinds, MINUTE_MS, settingsOf, simulateYear } from './simulated-year.ts'

const FORECAST_HOUR = 20
const LEARNING_DAYS = 10
const DAY_MS = 86_400_000
/** Each simulated drive holds about this many usual days of recordings. */
const DAYS_OF_SPACE = [0.4, 1.5, 4, 9, 25]
const DAYS_AHEAD = 45

export type DiskForecast = {
  readonly daysOfSpace: number
  /** Nights until the drive is full: forecast and actual. Null if the forecast lies beyond the simulated year. */
  readonly said: number | null
  readonly came: number
}

/** The forecast of each evening of the year, and the night in which the drive was really full. */
export const forecastDiskSpace = (kind: Kind, days: number, seed: number): readonly DiskForecast[] => {
  const year = simulateYear(kind, days, seeded(seed))
  const [folder] = settingsOf(kind).folders
  if (folder === undefined) throw new Error('a folder is needed')
  const clock = { nowMs: year.startMs }
  const { journal, close } = openTempJournal(() => clock.nowMs)
  const outlook = new Outlook(journal, () => ({ bytes: 0, seconds: 0, limitBytesPerSecond: null }))
  const forecasts: DiskForecast[] = []
  const usualDay = kind.recordingsPerDay * kind.bytesEach
  let next = 0
  try {
    journal.station.setVolume(folder.path, { device: '1', inode: '1' }, year.startMs)
    const forecastAt = (minute: number) => {
      clock.nowMs = year.startMs + minute * MINUTE_MS
      const first = next
      journal.transaction(() => {
        for (
          let made = year.recordings[next];
          made !== undefined && made.minute <= minute;
          made = year.recordings[next]
        ) {
          clock.nowMs = year.startMs + made.minute * MINUTE_MS
          addRecording(journal, folder, next, made.bytes)
          next += 1
        }
      })
      clock.nowMs = year.startMs + minute * MINUTE_MS
      if (minute < LEARNING_DAYS * 1_440 || first === year.recordings.length) return
      const usual = outlook.usualIn([folder.path], clock.nowMs)
      const sinceMs = nightEnd(clock.nowMs) - DAY_MS
      const recorded = journal.rates.recordedHours([folder.path]).filter(({ atMs }) => atMs >= sinceMs)
      for (const daysOfSpace of DAYS_OF_SPACE) {
        const freeBytes = usualDay * daysOfSpace
        let left = freeBytes
        const full = year.recordings.slice(next).find(({ bytes }) => {
          left -= bytes
          return left < 0
        })
        if (full === undefined || full.minute > minute + DAYS_AHEAD * 1_440) continue
        const fills = fillingOf({
          nowMs: clock.nowMs,
          freeBytes,
          usual,
          tonight: {
            bytes: recorded.reduce((sum, { bytes }) => sum + bytes, 0),
            usualBytes: usual === null ? 0 : usualBetween(usual, sinceMs, clock.nowMs),
          },
        })
        const fullMs = year.startMs + full.minute * MINUTE_MS
        const endsMs = nightEnd(clock.nowMs)
        forecasts.push({
          daysOfSpace,
          said: fills.kind === 'tonight' ? 1 : fills.kind === 'nights' ? fills.nights : null,
          came: fullMs <= endsMs ? 1 : 1 + Math.ceil((fullMs - endsMs) / DAY_MS),
        })
      }
    }
    for (let minute = 0; minute < year.minutes; minute += 60)
      if (new Date(year.startMs + minute * MINUTE_MS).getHours() === FORECAST_HOUR) forecastAt(minute)
  } finally {
    close()
  }
  return forecasts
}

export const scoreDiskSpace = (forecasts: readonly DiskForecast[]) => {
  const share = (test: (one: DiskForecast) => boolean) =>
    forecasts.length === 0 ? 0 : forecasts.filter(test).length / forecasts.length
  const off = ({ said, came }: DiskForecast) =>
    said === null ? Number.POSITIVE_INFINITY : Math.abs(said - came)
  return {
    questions: forecasts.length,
    near: share((one) => off(one) <= Math.max(1, 0.2 * one.came)),
    exact: share((one) => off(one) === 0),
    tonightRight: forecasts.filter(({ said, came }) => said === 1 && came === 1).length,
    tonightFalse: forecasts.filter(({ said, came }) => said === 1 && came > 1).length,
    tonightMissed: forecasts.filter(({ said, came }) => said !== 1 && came === 1).length,
  }
}

const DAYS = 365
const SEED = 12

export const evaluateDiskSpace = async (): Promise<void> => {
  const all = kinds.flatMap((kind) => forecastDiskSpace(kind, DAYS, SEED))
  const rows = DAYS_OF_SPACE.map((days) => {
    const { questions, near, exact } = scoreDiskSpace(all.filter((one) => one.daysOfSpace === days))
    return `| ${days} | ${questions} | ${percent(near)} | ${percent(exact)} |`
  })
  const judged = scoreDiskSpace(all)
  const text = [
    '| usual days of free space | forecasts | within one night or 20 % | exact night |',
    '|--:|--:|--:|--:|',
    ...rows,
    `| all | ${judged.questions} | ${percent(judged.near)} | ${percent(judged.exact)} |`,
    '',
    '| “full tonight” | |',
    '|---|--:|',
    `| forecast, and the drive was full | ${judged.tonightRight} |`,
    `| forecast, and the space lasted another night | ${judged.tonightFalse} |`,
    `| not forecast, and the drive was full | ${judged.tonightMissed} |`,
  ].join('\n')
  await writePage('disk-space', text)
}
