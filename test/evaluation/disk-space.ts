import { fillingOf } from '../../main/agent/domain/low-space.ts'
import { nightEnd, usualBetween } from '../../main/agent/domain/usual-recording.ts'
import { Outlook } from '../../main/agent/outlook/outlook.ts'
import { seeded } from '../support/seeded.ts'
import { openTempJournal } from '../support/temp-journal.ts'
import { percent, writePage } from './page.ts'
import {
  addRecording,
  DAY_MINUTES,
  type Kind,
  kinds,
  MINUTE_MS,
  settingsOf,
  simulateYear,
} from './simulated-year.ts'

const FORECAST_HOUR = 20
const LEARNING_DAYS = 10
const DAY_MS = 86_400_000
/** The free space of the simulated drives. 1 is the usual volume of one day. */
const DAYS_OF_SPACE = [0.4, 1.5, 4, 9, 25]
const DAYS_AHEAD = 45

export type DiskForecast = {
  readonly daysOfSpace: number
  /** Nights until the drive is full; 1 is tonight. Null if the forecast names no night. */
  readonly forecastNights: number | null
  readonly actualNights: number
}

/** Makes a forecast on each evening after the learning days, and finds the night in which the drive becomes full. */
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
    journal.volumes.setVolume(folder.path, { device: '1', inode: '1' }, year.startMs)
    const forecastAt = (minute: number) => {
      clock.nowMs = year.startMs + minute * MINUTE_MS
      const first = next
      journal.transaction(() => {
        for (
          let recording = year.recordings[next];
          recording !== undefined && recording.minute <= minute;
          recording = year.recordings[next]
        ) {
          clock.nowMs = year.startMs + recording.minute * MINUTE_MS
          addRecording(journal, folder, next, recording.bytes)
          next += 1
        }
      })
      clock.nowMs = year.startMs + minute * MINUTE_MS
      if (minute < LEARNING_DAYS * DAY_MINUTES || first === year.recordings.length) return
      const usual = outlook.usualRecordingIn([folder.path], clock.nowMs)
      const sinceMs = nightEnd(clock.nowMs) - DAY_MS
      const recorded = journal.rates.recordedHours([folder.path]).filter(({ atMs }) => atMs >= sinceMs)
      for (const daysOfSpace of DAYS_OF_SPACE) {
        const freeBytes = usualDay * daysOfSpace
        let remainingBytes = freeBytes
        const full = year.recordings.slice(next).find(({ bytes }) => {
          remainingBytes -= bytes
          return remainingBytes < 0
        })
        if (full === undefined || full.minute > minute + DAYS_AHEAD * DAY_MINUTES) continue
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
          forecastNights: fills.kind === 'tonight' ? 1 : fills.kind === 'nights' ? fills.nights : null,
          actualNights: fullMs <= endsMs ? 1 : 1 + Math.ceil((fullMs - endsMs) / DAY_MS),
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
  const errorNights = ({ forecastNights, actualNights }: DiskForecast) =>
    forecastNights === null ? Number.POSITIVE_INFINITY : Math.abs(forecastNights - actualNights)
  return {
    count: forecasts.length,
    nearShare: share((one) => errorNights(one) <= Math.max(1, 0.2 * one.actualNights)),
    exactShare: share((one) => errorNights(one) === 0),
    tonightRight: forecasts.filter(
      ({ forecastNights, actualNights }) => forecastNights === 1 && actualNights === 1,
    ).length,
    tonightFalse: forecasts.filter(
      ({ forecastNights, actualNights }) => forecastNights === 1 && actualNights > 1,
    ).length,
    tonightMissed: forecasts.filter(
      ({ forecastNights, actualNights }) => forecastNights !== 1 && actualNights === 1,
    ).length,
  }
}

const DAYS = 365
const SEED = 12

export const evaluateDiskSpace = async (): Promise<void> => {
  const all = kinds.flatMap((kind) => forecastDiskSpace(kind, DAYS, SEED))
  const rows = DAYS_OF_SPACE.map((days) => {
    const { count, nearShare, exactShare } = scoreDiskSpace(all.filter((one) => one.daysOfSpace === days))
    return `| ${days} | ${count} | ${percent(nearShare)} | ${percent(exactShare)} |`
  })
  const score = scoreDiskSpace(all)
  const text = [
    '| free space, in usual days | forecasts | within one night or 20 % | exact night |',
    '|--:|--:|--:|--:|',
    ...rows,
    `| all | ${score.count} | ${percent(score.nearShare)} | ${percent(score.exactShare)} |`,
    '',
    '| “full tonight” | |',
    '|---|--:|',
    `| forecast, and the drive was full | ${score.tonightRight} |`,
    `| forecast, and the space lasted another night | ${score.tonightFalse} |`,
    `| not forecast, and the drive was full | ${score.tonightMissed} |`,
  ].join('\n')
  await writePage('disk-space', text)
}
