import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { problemOf } from '../../../../../main/agent/domain/problems.ts'
import type { Sent } from '../../../../../main/agent/domain/sending-rate.ts'
import { openJournal } from '../../../../../main/agent/journal/journal.ts'
import { Outlook, type OutlookSettings } from '../../../../../main/agent/outlook/outlook.ts'
import { UploadMeter } from '../../../../../main/agent/outlook/upload-meter.ts'
import { calls } from '../../../../../shared/ipc/ipc.ts'
import { settingsSchema } from '../../../../../shared/settings/settings.ts'
import {
  doneInBrief,
  doneRange,
  doneSentences,
  doneTitle,
  forecastLine,
} from '../../../../../shared/words/forecast-words.ts'
import { openTempJournal, type TempJournal } from '../../../../support/temp-journal.ts'

const HOUR_MS = 3_600_000
const GB = 1_000_000_000
const view = { service: null, sending: true }
const idle: Sent = { bytes: 0, seconds: 0, limitBytesPerSecond: null }
/** A Friday. */
const NOW_MS = new Date(2026, 10, 13, 23).getTime()
const clock = { nowMs: NOW_MS }

const settings = settingsSchema.parse({
  service: { base_url: 'https://api.example.com' },
  folders: [{ path: '/rec', site: 'lab' }],
  transfer: { windows: [{ from: '18:00', to: '06:00' }] },
})
const [folder] = settings.folders
const outlookSettings: OutlookSettings = { transfer: settings.transfer, folders: ['/rec'] }

let temp: TempJournal
beforeEach(() => {
  clock.nowMs = NOW_MS
  temp = openTempJournal(() => clock.nowMs)
})
afterEach(() => temp.close())

const addRecording = (name: string, bytes: number): number => {
  const identity = { device: '1', inode: name, sizeBytes: bytes, mtimeNs: '1', ctimeNs: '1' }
  if (folder === undefined) throw new Error('a folder is needed')
  clock.nowMs += 1_000
  return temp.journal.recordings.add({ path: `/rec/${name}`, identity }, folder, {
    findSessionFirst: false,
  }).id
}

const addMeasurements = (bytesPerSecond: number) => {
  const nowMs = clock.nowMs
  for (let hours = 5 * 24; hours > 0; hours -= 1) {
    clock.nowMs = nowMs - hours * HOUR_MS
    temp.journal.rates.addSent({ bytes: bytesPerSecond * 3_600, seconds: 3_600, limitBytesPerSecond: null })
  }
  clock.nowMs = nowMs
}

const bytesLeft = () => temp.journal.views.figures(view).bytesLeft()

type Change = {
  readonly stopped?: boolean
  readonly pause?: { untilMs: number | null }
  readonly bytesPerSecondNow?: number | null
}

const forecast = (change: Change = {}, outlook = new Outlook(temp.journal, () => idle)) =>
  outlook.forecast({
    settings: outlookSettings,
    bytes: bytesLeft(),
    stopped: change.stopped ?? false,
    pause: change.pause ?? null,
    bytesPerSecondNow: change.bytesPerSecondNow ?? null,
    nowMs: clock.nowMs,
  })

describe('the forecast', () => {
  test('explains why it shows no time: nothing to upload, no measurement yet, a problem, or a pause', () => {
    expect(forecast()).toEqual({ kind: 'nothing' })
    addRecording('a', 5 * GB)
    expect(forecast()).toEqual({ kind: 'unmeasured', bytes: 5 * GB })
    expect(doneSentences(forecast(), clock.nowMs, null)).toBe(
      '5.0 GB to upload. Forecast available after 20 s of uploading.',
    )
    addMeasurements(10_000_000)
    expect(forecast({ stopped: true })).toEqual({ kind: 'held', bytes: 5 * GB, by: 'problem' })
    expect(forecast({ pause: { untilMs: null } })).toEqual({ kind: 'held', bytes: 5 * GB, by: 'pause' })
    expect(forecastLine(forecast({ stopped: true }), clock.nowMs, 'Service unreachable')).toBe(
      'Unknown. Service unreachable. 5.0 GB to upload.',
    )
  })

  test('of a new station is known as soon as it has a current speed', () => {
    addRecording('a', GB)
    const outlook = new Outlook(temp.journal, () => idle)
    expect(forecast({}, outlook).kind).toBe('unmeasured')
    clock.nowMs += 1_000
    expect(forecast({ bytesPerSecondNow: 10_000_000 }, outlook).kind).toBe('known')
  })

  test('ignores the speed of a few small files, and follows the current speed at once', () => {
    addRecording('a', GB)
    temp.journal.rates.addSent({ bytes: 20_000, seconds: 2, limitBytesPerSecond: null })
    expect(forecast().kind).toBe('unmeasured')
    temp.journal.rates.addSent({ bytes: 200_000, seconds: 18, limitBytesPerSecond: null })
    const outlook = new Outlook(temp.journal, () => idle)
    const doneIn = (bytesPerSecondNow: number | null) =>
      doneInBrief(forecast({ bytesPerSecondNow }, outlook), clock.nowMs)
    expect(doneIn(null)).toBe('not done by 06:00')
    expect(doneIn(10_000_000)).toBe('done about 23:02')
  })

  test('excludes recordings that need attention or are paused', () => {
    const [, heldId, pausedId] = [
      addRecording('a', 5 * GB),
      addRecording('b', 7 * GB),
      addRecording('c', 9 * GB),
    ]
    const { recordings } = temp.journal
    const recording = recordings.byId(heldId)
    if (recording === null) throw new Error('the recording is missing')
    recordings.hold(recording, { attempts: 1, untilMs: 0, problem: problemOf('site-refused') })
    recordings.patch(pausedId, { paused: true })
    expect(bytesLeft()).toBe(5 * GB)
    addMeasurements(10_000_000)
    expect(forecast()).toMatchObject({ kind: 'known', bytes: 5 * GB })
  })

  test('shows the time, its range and the upload hours, in full and in brief', () => {
    addRecording('a', 72 * GB)
    addMeasurements(10_000_000)
    const knownForecast = forecast()
    if (knownForecast.kind !== 'known') throw new Error(knownForecast.kind)
    expect(knownForecast).toMatchObject({
      bytesPerSecond: 10_000_000,
      bytesShort: 0,
      atRisk: null,
      startsAt: null,
    })
    expect(doneTitle(knownForecast, clock.nowMs)).toBe('About 01:00')
    expect(doneRange(knownForecast, clock.nowMs)).toMatch(/^2 h left, between 00:\d0 and 01:\d0$/)
    expect(doneInBrief(knownForecast, clock.nowMs)).toBe('done about 01:00')
    expect(doneSentences(knownForecast, clock.nowMs, null)).toBe(
      '72.0 GB left. Done 5 h before uploads stop at 06:00.',
    )
  })

  test('of a short queue depends only on the current speed', () => {
    addRecording('a', 2 * GB)
    // In the last five days, the connection was ten times slower.
    addMeasurements(1_000_000)
    const bySlowHours = forecast()
    const byCurrentSpeed = forecast({ bytesPerSecondNow: 10_000_000 })
    if (bySlowHours.kind !== 'known' || byCurrentSpeed.kind !== 'known')
      throw new Error('a forecast is needed')
    expect([doneInBrief(bySlowHours, clock.nowMs), doneRange(bySlowHours, clock.nowMs)]).toEqual([
      'done about 23:35',
      '35 min left',
    ])
    expect([doneInBrief(byCurrentSpeed, clock.nowMs), doneRange(byCurrentSpeed, clock.nowMs)]).toEqual([
      'done about 23:04',
      '4 min left',
    ])
    // A paused station sends nothing, so its current speed does not count.
    const untilMs = clock.nowMs + HOUR_MS
    expect(forecast({ bytesPerSecondNow: 10_000_000, pause: { untilMs } })).toEqual(
      forecast({ pause: { untilMs } }),
    )
  })

  test('shows the bytes that do not fit into the upload hours, and lists exactly the recordings at risk', () => {
    const ids = [100, 120, 20, 50].map((gigabytes, index) => addRecording(`${index}`, gigabytes * GB))
    temp.journal.recordings.patch(ids[3] ?? 0, { prioritised: true })
    addMeasurements(10_000_000)
    const shortForecast = forecast()
    if (shortForecast.kind !== 'known') throw new Error(shortForecast.kind)
    // Seven hours suffice for 252 GB: the prioritised recording, the first, and most of the second.
    expect(shortForecast.bytesShort / GB).toBeCloseTo(290 - 252, 0)
    expect(shortForecast.atRisk).toEqual({ recordings: 2, fromId: ids[1] })
    expect(forecastLine(shortForecast, clock.nowMs, null)).toMatch(
      /^Not done by 06:00 \(38\.\d GB not uploaded when uploads stop\)\. 290 GB left\. All done tomorrow about 19:00\. 2 recordings at risk\.$/,
    )
    const page = temp.journal.list.page(
      calls.listRecordings.args.parse({
        queuedFrom: shortForecast.atRisk?.fromId,
        sort: 'found',
        descending: false,
      }),
      view,
    )
    expect([page.total, page.rows.map(({ id }) => id)]).toEqual([2, [ids[1], ids[2]]])
  })

  test('shows when the upload hours begin', () => {
    clock.nowMs = new Date(2026, 10, 13, 12).getTime()
    addRecording('a', 36 * GB)
    addMeasurements(10_000_000)
    const knownForecast = forecast()
    expect(knownForecast).toMatchObject({ startsAt: new Date(2026, 10, 13, 18).toISOString() })
    expect(doneSentences(knownForecast, clock.nowMs, null)).toContain('Starts today 18:00.')
    expect(doneInBrief(knownForecast, clock.nowMs)).toBe('done about 19:00')
  })
})

describe('the measured rates', () => {
  test('survive a kill, and cover the last four weeks only', () => {
    const { journal } = temp
    for (let hour = 0; hour < 40 * 24; hour += 1) {
      clock.nowMs = NOW_MS + hour * HOUR_MS
      journal.rates.addSent({ bytes: 10, seconds: 2, limitBytesPerSecond: null })
    }
    journal.rates.addSent({ bytes: 5, seconds: 1, limitBytesPerSecond: 1_000 })
    // The first journal is still open, as after a kill, so the second one sees only committed data.
    const secondJournal = openJournal(temp.folder, () => clock.nowMs).journal
    const storedHours = secondJournal.rates.sentHours()
    secondJournal.close()
    expect(storedHours).toHaveLength(28 * 24)
    expect(storedHours.at(-1)).toEqual({
      atMs: Math.floor(clock.nowMs / HOUR_MS) * HOUR_MS,
      bytes: 15,
      seconds: 3,
      limitBytesPerSecond: 1_000,
    })
  })

  test('count the time with something to send, even if no byte was sent', () => {
    const time = { ms: 0 }
    const meter = new UploadMeter(temp.journal, { wallMs: () => clock.nowMs, monotonicMs: () => time.ms })
    const tick = (bytes: number, sending: boolean, afterMs = 1_000) => {
      time.ms += afterMs
      meter.measure(bytes, sending, null)
      meter.save()
    }
    for (let second = 0; second < 10; second += 1) tick(1_000, true)
    for (let second = 0; second < 10; second += 1) tick(0, true)
    // The station is outside the upload hours, and then the PC sleeps.
    for (let second = 0; second < 60; second += 1) tick(0, false)
    tick(0, false, HOUR_MS / 4)
    expect(meter.recent()).toEqual({ bytes: 10_000, seconds: 20, limitBytesPerSecond: null })
    expect(temp.journal.rates.sentHours()).toMatchObject([{ bytes: 10_000, seconds: 20 }])
    time.ms += HOUR_MS
    expect(meter.recent().seconds).toBe(0)
  })

  test('count recorded bytes by hour and folder, also for a file that grows or moves', () => {
    const id = addRecording('a', 5 * GB)
    const { rates, recordings } = temp.journal
    const recording = recordings.byId(id)
    if (recording === null || folder === undefined) throw new Error('the recording is missing')
    const identity = { ...recording.identity, sizeBytes: 8 * GB }
    recordings.patch(id, { identity })
    expect(rates.recordedHours(['/rec'])).toMatchObject([{ bytes: 8 * GB }])
    recordings.move({ ...recording, identity }, { path: '/other/a', identity }, { ...folder, path: '/other' })
    expect(rates.recordedHours(['/rec', '/nowhere']).map(({ bytes }) => bytes)).toEqual([0])
    expect(rates.recordedHours(['/other'])).toMatchObject([{ bytes: 8 * GB }])
  })
})
