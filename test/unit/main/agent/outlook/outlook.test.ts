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
const quiet: Sent = { bytes: 0, seconds: 0, limitBytesPerSecond: null }
/** A Friday. */
const NOW_MS = new Date(2026, 10, 13, 23).getTime()
const clock = { nowMs: NOW_MS }

const settings = settingsSchema.parse({
  service: { base_url: 'https://api.example.com' },
  folders: [{ path: '/rec', site: 'lab' }],
  transfer: { windows: [{ from: '18:00', to: '06:00' }] },
})
const [folder] = settings.folders
const asked: OutlookSettings = { transfer: settings.transfer, folders: ['/rec'] }

let opened: TempJournal
beforeEach(() => {
  clock.nowMs = NOW_MS
  opened = openTempJournal(() => clock.nowMs)
})
afterEach(() => opened.close())

const add = (name: string, bytes: number): number => {
  const identity = { device: '1', inode: name, sizeBytes: bytes, mtimeNs: '1', ctimeNs: '1' }
  if (folder === undefined) throw new Error('a folder is needed')
  clock.nowMs += 1_000
  return opened.journal.recordings.add({ path: `/rec/${name}`, identity }, folder, {
    findSessionFirst: false,
  }).id
}

const measured = (bytesPerSecond: number) => {
  const nowMs = clock.nowMs
  for (let hours = 5 * 24; hours > 0; hours -= 1) {
    clock.nowMs = nowMs - hours * HOUR_MS
    opened.journal.rates.addSent({ bytes: bytesPerSecond * 3_600, seconds: 3_600, limitBytesPerSecond: null })
  }
  clock.nowMs = nowMs
}

const bytesLeft = () => opened.journal.views.figures(view).bytesLeft()

type Change = {
  readonly stopped?: boolean
  readonly pause?: { untilMs: number | null }
  readonly bytesPerSecondNow?: number
}

const forecast = (change: Change = {}) =>
  new Outlook(opened.journal, () => quiet).forecast({
    settings: asked,
    bytes: bytesLeft(),
    stopped: change.stopped ?? false,
    pause: change.pause ?? null,
    bytesPerSecondNow: change.bytesPerSecondNow ?? null,
    nowMs: clock.nowMs,
  })

describe('the forecast', () => {
  test('covers an empty queue, no measurement yet, and a stopped station', () => {
    expect(forecast()).toEqual({ kind: 'nothing' })
    add('a', 5 * GB)
    expect(forecast()).toEqual({ kind: 'unmeasured', bytes: 5 * GB })
    expect(doneSentences(forecast(), clock.nowMs, null)).toBe(
      '5.0 GB to upload. Forecast available after the first upload.',
    )
    measured(10_000_000)
    expect(forecast({ stopped: true })).toEqual({ kind: 'held', bytes: 5 * GB, by: 'problem' })
    expect(forecast({ pause: { untilMs: null } })).toEqual({ kind: 'held', bytes: 5 * GB, by: 'pause' })
    expect(forecastLine(forecast({ stopped: true }), clock.nowMs, 'Service unreachable')).toBe(
      'Unknown. Service unreachable. 5.0 GB to upload.',
    )
  })

  test('leaves out recordings that need attention or are paused', () => {
    const [, held, paused] = [add('a', 5 * GB), add('b', 7 * GB), add('c', 9 * GB)]
    const { recordings } = opened.journal
    const recording = recordings.byId(held)
    if (recording === null) throw new Error('it is gone')
    recordings.hold(recording, { attempts: 1, untilMs: 0, problem: problemOf('site-refused') })
    recordings.patch(paused, { paused: true })
    expect(bytesLeft()).toBe(5 * GB)
    measured(10_000_000)
    expect(forecast()).toMatchObject({ kind: 'known', bytes: 5 * GB })
  })

  test('shows the time, its range and the upload hours, in full and in brief', () => {
    add('a', 72 * GB)
    measured(10_000_000)
    const known = forecast()
    if (known.kind !== 'known') throw new Error(known.kind)
    expect(known).toMatchObject({ bytesPerSecond: 10_000_000, bytesShort: 0, atRisk: null, startsAt: null })
    expect(doneTitle(known, clock.nowMs)).toBe('About 01:00')
    expect(doneRange(known, clock.nowMs)).toMatch(/^2 h left, between 00:\d0 and 01:\d0$/)
    expect(doneInBrief(known, clock.nowMs)).toBe('done about 01:00')
    expect(doneSentences(known, clock.nowMs, null)).toBe(
      '72.0 GB left. Done 5 h before uploads stop at 06:00.',
    )
  })

  test('a short queue ends when the speed and the bytes of the window say, to the minute', () => {
    add('a', 2 * GB)
    // On other nights the line was ten times slower.
    measured(1_000_000)
    const usual = forecast()
    const short = forecast({ bytesPerSecondNow: 10_000_000 })
    if (usual.kind !== 'known' || short.kind !== 'known') throw new Error('a forecast is needed')
    expect([doneInBrief(usual, clock.nowMs), doneRange(usual, clock.nowMs)]).toEqual([
      'done about 23:35',
      '35 min left',
    ])
    expect([doneInBrief(short, clock.nowMs), doneRange(short, clock.nowMs)]).toEqual([
      'done about 23:04',
      '4 min left',
    ])
    // A paused station sends nothing, whatever it sent a moment ago.
    const untilMs = clock.nowMs + HOUR_MS
    expect(forecast({ bytesPerSecondNow: 10_000_000, pause: { untilMs } })).toEqual(
      forecast({ pause: { untilMs } }),
    )
  })

  test('shows the missing capacity and lists exactly the recordings at risk', () => {
    const ids = [100, 120, 20, 50].map((gigabytes, index) => add(`${index}`, gigabytes * GB))
    opened.journal.recordings.patch(ids[3] ?? 0, { prioritised: true })
    measured(10_000_000)
    const short = forecast()
    if (short.kind !== 'known') throw new Error(short.kind)
    // Seven hours carry 252 GB: the prioritised recording, the first, and most of the second.
    expect(short.bytesShort / GB).toBeCloseTo(290 - 252, 0)
    expect(short.atRisk).toEqual({ recordings: 2, fromId: ids[1] })
    expect(forecastLine(short, clock.nowMs, null)).toMatch(
      /^Not done by 06:00 \(38\.\d GB left over when uploads stop\)\. 290 GB left\. All done about tomorrow 19:00\. 2 recordings at risk\.$/,
    )
    const page = opened.journal.list.page(
      calls.listRecordings.args.parse({ queuedFrom: short.atRisk?.fromId, sort: 'found', descending: false }),
      view,
    )
    expect([page.total, page.rows.map(({ id }) => id)]).toEqual([2, [ids[1], ids[2]]])
  })

  test('shows when the upload hours begin', () => {
    clock.nowMs = new Date(2026, 10, 13, 12).getTime()
    add('a', 36 * GB)
    measured(10_000_000)
    const known = forecast()
    expect(known).toMatchObject({ startsAt: new Date(2026, 10, 13, 18).toISOString() })
    expect(doneSentences(known, clock.nowMs, null)).toContain('Starts today 18:00.')
    expect(doneInBrief(known, clock.nowMs)).toBe('done about 19:00')
  })
})

describe('the measured rates', () => {
  test('survive a kill, and cover only four weeks', () => {
    const { journal } = opened
    for (let hour = 0; hour < 40 * 24; hour += 1) {
      clock.nowMs = NOW_MS + hour * HOUR_MS
      journal.rates.addSent({ bytes: 10, seconds: 2, limitBytesPerSecond: null })
    }
    journal.rates.addSent({ bytes: 5, seconds: 1, limitBytesPerSecond: 1_000 })
    // Committed data is visible to another process, without a clean exit.
    const again = openJournal(opened.folder, () => clock.nowMs).journal
    const kept = again.rates.sentHours()
    again.close()
    expect(kept).toHaveLength(28 * 24)
    expect(kept.at(-1)).toEqual({
      atMs: Math.floor(clock.nowMs / HOUR_MS) * HOUR_MS,
      bytes: 15,
      seconds: 3,
      limitBytesPerSecond: 1_000,
    })
  })

  test('count the time spent sending, even when no byte got through', () => {
    const time = { ms: 0 }
    const meter = new UploadMeter(opened.journal, { wallMs: () => clock.nowMs, monotonicMs: () => time.ms })
    const tick = (bytes: number, sending: boolean, afterMs = 1_000) => {
      time.ms += afterMs
      meter.tick(bytes, sending, null)
    }
    for (let second = 0; second < 10; second += 1) tick(1_000, true)
    for (let second = 0; second < 10; second += 1) tick(0, true)
    // Outside the upload hours, and asleep.
    for (let second = 0; second < 60; second += 1) tick(0, false)
    tick(0, false, HOUR_MS / 4)
    expect(meter.recent()).toEqual({ bytes: 10_000, seconds: 20, limitBytesPerSecond: null })
    expect(opened.journal.rates.sentHours()).toMatchObject([{ bytes: 10_000, seconds: 20 }])
    time.ms += HOUR_MS
    expect(meter.recent().seconds).toBe(0)
  })

  test('recorded bytes are counted by hour and folder, also for a file that grows or moves', () => {
    const id = add('a', 5 * GB)
    const { rates, recordings } = opened.journal
    const recording = recordings.byId(id)
    if (recording === null || folder === undefined) throw new Error('it is gone')
    const identity = { ...recording.identity, sizeBytes: 8 * GB }
    recordings.patch(id, { identity })
    expect(rates.recordedHours(['/rec'])).toMatchObject([{ bytes: 8 * GB }])
    recordings.move({ ...recording, identity }, { path: '/other/a', identity }, { ...folder, path: '/other' })
    expect(rates.recordedHours(['/rec', '/nowhere']).map(({ bytes }) => bytes)).toEqual([0])
    expect(rates.recordedHours(['/other'])).toMatchObject([{ bytes: 8 * GB }])
  })
})
