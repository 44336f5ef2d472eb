import fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Outlook } from '../../../../../main/agent/outlook/outlook.ts'
import { saveUploads } from '../../../../../main/agent/status/live-uploads.ts'
import { Progress } from '../../../../../main/agent/status/progress.ts'
import { rowOf } from '../../../../../main/agent/status/recording-rows.ts'
import { takeSnapshot } from '../../../../../main/agent/status/snapshot.ts'
import { takeWatchSnapshot } from '../../../../../main/agent/status/watch-snapshot.ts'
import { viewLines } from '../../../../../main/cli/watch/watch-view.ts'
import { type TrayItem, trayMenu, trayTip } from '../../../../../main/shell/tray/tray-menu.ts'
import { partSizeWords, partWords } from '../../../../../renderer/features/recordings/part-cells.ts'
import { settingsSchema } from '../../../../../shared/settings/settings.ts'
import type { Status } from '../../../../../shared/status/status.ts'
import {
  doneInBrief,
  doneRange,
  doneSentences,
  doneTitle,
  stopWords,
} from '../../../../../shared/words/forecast-words.ts'
import { formatClock, formatEta, formatRate } from '../../../../../shared/words/format.ts'
import { transferLine } from '../../../../../shared/words/transfer-words.ts'
import { unplugDetail } from '../../../../../shared/words/unplug-words.ts'
import { waitWords } from '../../../../../shared/words/wait-words.ts'
import { needSentence } from '../../../../../shared/words/words.ts'
import { anyStory, writeStory } from '../../../../support/any-journal.ts'
import { calmSources } from '../../../../support/calm-snapshot.ts'
import { runs } from '../../../../support/runs.ts'
import { openTempJournal } from '../../../../support/temp-journal.ts'
import { sluice } from '../../../../support/typed-command.ts'

const settings = settingsSchema.parse({
  service: { base_url: 'https://api.example.com' },
  folders: [
    { path: '/rec/hall', site: 'Hall 3' },
    { path: '/rec/track', site: 'Test track' },
  ],
})
const [hall, track] = settings.folders

/** The station sent 1 GB in the last 100 s. */
const recent = { bytes: 1_000_000_000, seconds: 100, limitBytesPerSecond: null }

const labelsOf = (items: readonly TrayItem[]): readonly string[] =>
  items.flatMap((item) => {
    if (item.kind === 'separator') return []
    return item.kind === 'menu' ? [item.label, ...labelsOf(item.items)] : [item.label]
  })

/** The texts of the window that contain figures. */
const windowTexts = (status: Status, nowMs: number): readonly string[] => [
  status.station.headline,
  status.station.detail,
  transferLine(status.transfer),
  doneTitle(status.forecast, nowMs),
  doneSentences(status.forecast, nowMs, stopWords(status.station)),
  doneInBrief(status.forecast, nowMs) ?? '',
  ...[waitWords(status.station, nowMs) ?? []].flat(),
  needSentence(status.needs),
  ...status.drives.map(unplugDetail),
]

const nouns = 'recording|file|folder|part|path|drive|night|minute|hour|day'
const wrongSingular = new RegExp(`(?:^|[^\\d.,])1 (?:(?:${nouns})s|need|wait|are)\\b|\\bAll 1\\b`)
const wrongPlural = new RegExp(`(?:[2-9]|\\d\\d) (?:${nouns}|needs|waits)\\b`)

const anUpload: Parameters<typeof writeStory>[3][number] = {
  kind: 'file',
  folder: 0,
  agoMs: 1_000,
  bytes: 5_000,
  eventPath: 'uploading',
  changes: [],
}

const anySends = fc.array(
  fc.record({
    pick: fc.nat({ max: 20 }),
    bytes: fc.integer({ min: 1, max: 4_000 }),
    gapMs: fc.integer({ min: 50, max: 600 }),
  }),
  { maxLength: 30 },
)

// The commands read the system's clock, so the test stops it: all views must show the same minute.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
afterEach(() => void vi.useRealTimers())

test('window, tray, status, status --json and status --watch show the same figures', async () => {
  await fc.assert(
    fc.asyncProperty(anyStory, anySends, async (story, sends) => {
      const clock = { nowMs: Date.now() }
      const { journal, folder: dataFolder, close } = openTempJournal(() => clock.nowMs)
      try {
        if (hall === undefined || track === undefined) throw new Error('two folders are needed')
        writeStory(journal, clock, [hall, track], [anUpload, ...story])
        let monotonicMs = 0
        const progress = new Progress({ wallMs: () => clock.nowMs, monotonicMs: () => monotonicMs })
        const uploading = journal.views.everything().filter(({ state }) => state === 'uploading')
        for (const [at, { pick, bytes, gapMs }] of sends.entries()) {
          const recording = uploading[pick % uploading.length]
          monotonicMs += gapMs
          if (recording === undefined) continue
          progress.partDone(recording.id, at)
          progress.sending(recording.id, at + 1, Math.min(bytes, recording.identity.sizeBytes))
        }
        // No program writes to half of the growing files any more.
        const growing = journal.views
          .everything()
          .filter(({ state, problem }) => state === 'growing' && problem === null)
        const settling = growing.filter((_, at) => at % 2 === 0)
        for (const { id } of settling) progress.settling(id, clock.nowMs + 6_000)
        const outlook = new Outlook(journal, () => recent)
        const view = {
          service: journal.station.serviceInUse(),
          sending: journal.station.currentPause() === null,
          uploadingIds: progress.uploadingIds,
        }
        const status = takeSnapshot({
          ...calmSources,
          journal,
          progress,
          settings,
          view,
          outlook,
          nowMs: clock.nowMs,
        })
        // The agent saves the uploads each second and the outlook each minute.
        saveUploads(journal, progress, clock.nowMs)
        journal.station.saveOutlook({
          atMs: clock.nowMs,
          transfer: { windows: [] },
          folders: settings.folders.map(({ path }) => path),
          recent,
          driveSpace: [],
        })

        const { transfer } = status
        const { station, recordings } = JSON.parse(
          (await sluice('status', '--data', dataFolder, '--json')).out,
        ) as {
          station: Record<string, unknown> & { forecast: Status['forecast'] }
          recordings: readonly {
            path: string
            standing: string
            bytes_sent: number
            settles_at: string | null
          }[]
        }
        expect(station).toMatchObject({
          standings: status.standings,
          counts: status.counts,
          headline: status.station.headline,
          detail: status.station.detail,
          bytes_left: transfer.bytesLeft,
          bytes_per_second: transfer.bytesPerSecond,
        })
        expect(station.forecast).toEqual(status.forecast)
        const rows = journal.views
          .everything()
          .map((recording) => rowOf(recording, progress, view, () => undefined))
        expect(
          recordings.map(({ path, standing, bytes_sent, settles_at }) => [
            path,
            standing,
            bytes_sent,
            settles_at,
          ]),
        ).toEqual(rows.map((row) => [row.path, row.standing, row.bytesSent, row.settlesAt]))
        for (const { id, bytesPerSecond } of transfer.uploads) {
          const recording = journal.recordings.byId(id)
          if (recording === null) throw new Error('an upload without a recording')
          expect(rowOf(recording, progress, view, () => undefined).bytesPerSecond).toBe(bytesPerSecond)
        }
        const sumOfSpeeds = transfer.uploads.reduce(
          (sum, { bytesPerSecond }) => sum + (bytesPerSecond ?? 0),
          0,
        )
        if (transfer.bytesPerSecond !== null)
          expect(sumOfSpeeds).toBeLessThanOrEqual(transfer.bytesPerSecond + transfer.uploads.length)

        const tray = {
          status,
          health: { state: 'running', restarts: 0 },
          startAtLogin: false,
          system: 'linux',
        } as const
        const text = (await sluice('status', '--data', dataFolder)).out.replaceAll(/\s+/g, ' ')
        const watchText = viewLines(takeWatchSnapshot(journal, null), clock.nowMs, {
          columns: 400,
          rows: 200,
          hasColour: false,
        }).join('\n')
        const stillRecording = status.standings.recording - settling.length
        const facts = `${status.station.headline} · ${status.station.detail}`
        if (settling.length > 0) expect(facts).toContain(`${settling.length} finishing`)
        if (stillRecording > 0) expect(facts).toContain(`${stillRecording} still recording`)
        for (const folder of status.folders) {
          const inFolder = rows.filter((row) => row.folder === folder.path)
          expect(folder.waiting).toBe(
            inFolder.filter(({ standing }) => ['waiting', 'uploading'].includes(standing)).length,
          )
        }
        expect(doneTitle(status.forecast, clock.nowMs)).not.toBe('')
        const texts = [
          ...windowTexts(status, clock.nowMs),
          trayTip(tray),
          ...labelsOf(trayMenu(tray)),
          text,
          watchText,
        ]
        const speed = transfer.bytesPerSecond === null ? null : formatRate(transfer.bytesPerSecond)
        for (const shownText of texts) {
          // All views show the same speed, or none.
          for (const [shownSpeed] of shownText.matchAll(/[\d.,]+ [kMGT]?B\/s/g))
            expect(shownSpeed).toBe(speed)
          expect(shownText).not.toMatch(wrongSingular)
          expect(shownText).not.toMatch(wrongPlural)
          if (stillRecording === 0)
            expect(shownText).not.toMatch(/still recording|being written|(?:^|\s)Recording\b/m)
        }
        const { forecast } = status
        if (forecast.kind === 'known' && forecast.doneAt !== null) {
          // All texts show the same end, and no upload ends later.
          const doneTimes = texts.flatMap((shownText) =>
            [...shownText.matchAll(/[Aa]bout (\d\d:\d\d)/g)].map(([, at]) => at),
          )
          expect([...new Set(doneTimes)]).toEqual([formatClock(forecast.doneAt)])
          const leftMs = Date.parse(forecast.doneAt) - clock.nowMs
          for (const { secondsLeft } of transfer.uploads)
            if (secondsLeft !== null) expect(secondsLeft * 1000).toBeLessThanOrEqual(leftMs)
          expect(doneRange(forecast, clock.nowMs)).toContain(formatEta(leftMs / 1000))
          // If less than 15 minutes remain, the shown speed, remaining bytes and remaining time agree to the minute.
          const atThisSpeedMs = (transfer.bytesLeft / (transfer.bytesPerSecond ?? 1)) * 1000
          if (transfer.bytesPerSecond !== null && atThisSpeedMs < 15 * 60_000) {
            expect(Math.abs(leftMs - atThisSpeedMs)).toBeLessThanOrEqual(60_000)
          }
        }
        if (speed !== null)
          for (const shownText of [text, watchText]) expect(shownText).toContain(transferLine(transfer))
      } finally {
        close()
      }
    }),
    { numRuns: runs(100) },
  )
})

test('the words for parts use the right plural, and a single part shows the size of the file', () => {
  expect([partWords('sent', 1, 1), partSizeWords(1, 67_108_864, 5_000_000)]).toEqual([
    '1 part sent',
    '5.0 MB',
  ])
  expect([partWords('sent', 12, 12), partSizeWords(12, 67_108_864, 800_000_000)]).toEqual([
    'All 12 sent',
    '67.1 MB each',
  ])
  expect(partWords('missing', 1, 12)).toBe('1 missing')
  expect(partSizeWords(0, null, 5_000_000)).toBeNull()
})
