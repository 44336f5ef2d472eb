import type { Journal } from '../../main/agent/journal/journal.ts'
import type { FolderSettings, UploadWindow } from '../../shared/settings/settings.ts'
import { settingsSchema } from '../../shared/settings/settings.ts'

/** Simulates stations minute by minute and in local time, so that the outcome of every forecast is known. */

export const MINUTE_MS = 60_000
export const DAY_MINUTES = 1_440
const GB = 1_000_000_000

export type Kind = {
  readonly name: string
  readonly windows: readonly UploadWindow[]
  readonly limitMbitPerS?: number
  /** The speed of the connection at night. `simulateConnection` varies it. */
  readonly bytesPerSecond: number
  readonly recordingsPerDay: number
  readonly bytesEach: number
  /** True if the recorder runs from 16:00 to 02:00, and false if it runs from 09:00 to 20:00. */
  readonly recordsAtNight: boolean
}

const everyDay: UploadWindow['days'] = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']

export const kinds: readonly Kind[] = [
  {
    name: 'lab, 18:00 to 06:00',
    windows: [{ days: everyDay, from: '18:00', to: '06:00' }],
    bytesPerSecond: 8_000_000,
    recordingsPerDay: 36,
    bytesEach: 5 * GB,
    recordsAtNight: false,
  },
  {
    name: 'test track, open all day, 40 Mbit/s from 07:00 to 18:00',
    windows: [
      { days: everyDay, from: '07:00', to: '18:00', limit_mbit_per_s: 40 },
      { days: everyDay, from: '18:00', to: '07:00' },
    ],
    bytesPerSecond: 12_000_000,
    recordingsPerDay: 50,
    bytesEach: 6 * GB,
    recordsAtNight: true,
  },
  {
    name: 'no hours, no limit, slow line',
    windows: [],
    bytesPerSecond: 3_000_000,
    recordingsPerDay: 30,
    bytesEach: 4 * GB,
    recordsAtNight: false,
  },
]

export const settingsOf = (kind: Kind) =>
  settingsSchema.parse({
    service: { base_url: 'https://api.example.com' },
    folders: [{ path: '/rec', site: 'lab' }],
    transfer: {
      windows: kind.windows,
      ...(kind.limitMbitPerS === undefined ? {} : { limit_mbit_per_s: kind.limitMbitPerS }),
    },
  })

/** A normally distributed number, as the sum of twelve uniform numbers. */
const normal = (random: () => number): number =>
  Array.from({ length: 12 }, random).reduce((sum, value) => sum + value, 0) - 6

export type SimulatedRecording = { readonly minute: number; readonly bytes: number }

export type SimulatedYear = {
  readonly startMs: number
  readonly minutes: number
  /** The speed of the connection in each minute, before any limit; zero during an outage. */
  readonly bytesPerSecond: Float64Array
  readonly recordings: readonly SimulatedRecording[]
}

const minuteOf = (startMs: number, day: number, hours: number): number => {
  const at = new Date(startMs)
  at.setDate(at.getDate() + day)
  return Math.round((at.getTime() - startMs) / MINUTE_MS) + Math.round(hours * 60)
}

const SPEED_BY_HOUR = [
  1, 1, 1, 1, 1, 1, 0.95, 0.9, 0.85, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.75, 0.7, 0.7, 0.8,
  0.95,
]

/**
 * The speed of the connection. It is lower by day and in the evening. It varies from day to day (15 %) and within half
 * an hour (12 %). On one day in seven it drops to a third for 20 to 90 minutes. On one day in sixteen it fails for 10
 * to 60 minutes. It is faster in the last third of the time.
 */
const simulateConnection = (
  kind: Kind,
  startMs: number,
  days: number,
  random: () => number,
): Float64Array => {
  const minutes = minuteOf(startMs, days, 0)
  const line = new Float64Array(minutes)
  let deviation = 0
  let dayFactor = 1
  for (let minute = 0; minute < minutes; minute += 1) {
    const at = new Date(startMs + minute * MINUTE_MS)
    if (at.getHours() === 12 && at.getMinutes() === 0) dayFactor = Math.exp(0.15 * normal(random))
    deviation += -deviation / 30 + 0.12 * Math.sqrt(2 / 30) * normal(random)
    const contractFactor = minute > (minutes * 2) / 3 ? 1.3 : 1
    line[minute] =
      kind.bytesPerSecond *
      (SPEED_BY_HOUR[at.getHours()] ?? 1) *
      dayFactor *
      Math.exp(deviation) *
      contractFactor
  }
  const slowLine = (from: number, length: number, times: number) => {
    for (let minute = from; minute < Math.min(from + length, minutes); minute += 1)
      line[minute] = (line[minute] ?? 0) * times
  }
  for (let day = 0; day < days; day += 1) {
    const anywhere = () => minuteOf(startMs, day, random() * 24)
    if (random() < 1 / 7) slowLine(anywhere(), 20 + random() * 70, 0.33)
    if (random() < 1 / 16) slowLine(anywhere(), 10 + random() * 50, 0)
  }
  return line
}

/**
 * The number of recordings per workday varies by a third. Weekends and two weeks of holidays are days off. On one of
 * six days off, a few recordings are made, otherwise none.
 */
const simulateRecordings = (
  kind: Kind,
  startMs: number,
  days: number,
  random: () => number,
): SimulatedRecording[] => {
  const recordings: SimulatedRecording[] = []
  for (let day = 0; day < days; day += 1) {
    const weekday = new Date(startMs + minuteOf(startMs, day, 12) * MINUTE_MS).getDay()
    const isOff = weekday === 0 || weekday === 6 || (day >= 200 && day < 214)
    if (isOff && random() > 1 / 6) continue
    const count = Math.max(
      1,
      Math.round(kind.recordingsPerDay * (isOff ? 0.4 : 1) * (1 + 0.3 * normal(random))),
    )
    for (let index = 0; index < count; index += 1) {
      const hour = kind.recordsAtNight ? 16 + random() * 10 : 9 + random() * 11
      recordings.push({
        minute: minuteOf(startMs, day, hour),
        bytes: Math.round(kind.bytesEach * (0.4 + 1.2 * random())),
      })
    }
  }
  return recordings.sort((a, b) => a.minute - b.minute)
}

/** Starts on the first of May, so that both clock changes come long after the learning days. */
export const simulateYear = (kind: Kind, days: number, random: () => number): SimulatedYear => {
  const startMs = new Date(2025, 4, 1).getTime()
  return {
    startMs,
    minutes: minuteOf(startMs, days, 0),
    bytesPerSecond: simulateConnection(kind, startMs, days, random),
    recordings: simulateRecordings(kind, startMs, days, random),
  }
}

/** Adds a recording to the journal, as the watcher does. */
export const addRecording = (
  journal: Journal,
  folder: FolderSettings,
  index: number,
  bytes: number,
): number =>
  journal.recordings.add(
    {
      path: `${folder.path}/${index}.mcap`,
      identity: { device: '1', inode: `${index}`, sizeBytes: bytes, mtimeNs: '1', ctimeNs: '1' },
    },
    folder,
    { findSessionFirst: false },
  ).id

/** Marks the recording as uploaded in as few steps as possible. */
export const finishRecording = (journal: Journal, id: number): void => {
  const { recordings } = journal
  recordings.transition(id, 'growing', { kind: 'settled' }, { reason: 'simulated' })
  recordings.transition(id, 'queued', { kind: 'hash-started' }, { reason: 'simulated' })
  recordings.transition(id, 'hashing', { kind: 'hashed' }, { reason: 'simulated' })
  recordings.transition(id, 'ready', { kind: 'same-content' }, { reason: 'simulated' })
}
