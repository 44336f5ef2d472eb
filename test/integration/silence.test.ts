import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SilenceWatch } from '../../main/agent/outlook/silence-watch.ts'
import { Progress } from '../../main/agent/status/progress.ts'
import { takeSnapshot } from '../../main/agent/status/snapshot.ts'
import { type FolderSettings, settingsSchema } from '../../shared/settings/settings.ts'
import { nightAt, nightsUntil, QUARTER_MS } from '../../shared/status/nights.ts'
import type { Status } from '../../shared/status/status.ts'
import { calmSources, quietOutlook } from '../support/calm-snapshot.ts'
import { statusOf } from '../support/status-of.ts'
import { openTempJournal, type TempJournal } from '../support/temp-journal.ts'

const NIGHTS = 22
const HOUR_MS = 3_600_000
/** The current night, because `sluice status` uses the real clock. */
const tonight = nightAt(Date.now())
/** 03:00 in the current night, because a night begins at 18:00. */
const LATE_MS = tonight.startMs + 9 * HOUR_MS

const settingsWith = (silence: FolderSettings['silence']) =>
  settingsSchema.parse({
    service: { base_url: 'https://api.example.com' },
    folders: [
      { path: '/rec/hall', site: 'Hall 3', silence },
      { path: '/rec/track', site: 'Test track', silence },
    ],
  })

/** For three weeks, both folders got a recording every half hour from 19:30 to 05:00. Tonight, only `track` does. */
describe('a folder that falls silent', () => {
  let temp: TempJournal
  let watch: SilenceWatch
  const clock = { nowMs: 0 }

  const record = (folder: FolderSettings, atMs: number) => {
    clock.nowMs = atMs
    const name = `${atMs}.mcap`
    const identity = {
      device: '1',
      inode: `${folder.path}${atMs}`,
      sizeBytes: 1_000,
      mtimeNs: '1',
      ctimeNs: '1',
    }
    temp.journal.recordings.add({ path: `${folder.path}/${name}`, identity }, folder, {
      findSessionFirst: false,
    })
  }

  beforeEach(() => {
    temp = openTempJournal(() => clock.nowMs)
    watch = new SilenceWatch(temp.journal)
    const [hall, track] = settingsWith('gentle').folders
    if (hall === undefined || track === undefined) throw new Error('two folders are needed')
    temp.journal.transaction(() => {
      for (const { startMs, endMs } of nightsUntil(tonight.startMs, NIGHTS))
        for (let ms = startMs; ms < Math.min(endMs, LATE_MS); ms += QUARTER_MS) {
          for (const folder of [hall, track]) temp.journal.nights.noteWatched(folder.path, ms)
          const hour = (ms - startMs) / HOUR_MS
          if (hour < 1.5 || hour > 11 || hour % 0.5 !== 0) continue
          record(track, ms)
          if (startMs !== tonight.startMs) record(hall, ms)
        }
    })
    clock.nowMs = LATE_MS
  })
  afterEach(() => temp.close())

  const status = (
    silence: FolderSettings['silence'],
    options: { readonly atMs?: number; readonly missing?: string } = {},
  ): Status => {
    const settings = settingsWith(silence)
    const nowMs = options.atMs ?? LATE_MS
    clock.nowMs = nowMs
    const isPresent = ({ path }: FolderSettings) => path !== options.missing
    watch.check(
      settings.folders.map((folder) => ({ folder, isWatching: isPresent(folder) })),
      nowMs,
    )
    return takeSnapshot({
      journal: temp.journal,
      progress: new Progress({ wallMs: () => nowMs, monotonicMs: () => 0 }),
      settings,
      view: { service: null, sending: true },
      ...calmSources,
      outlook: quietOutlook(temp.journal),
      folderState: (folder) => ({
        state: isPresent(folder) ? 'watching' : 'offline',
        problem: null,
        problems: [],
      }),
      silenceOf: (folder) => watch.of(folder.path),
      nowMs,
    })
  }
  const silenceSentences = (status: Status) => status.folders.map(({ silence }) => silence?.sentence ?? null)
  const SENTENCE = 'Hall 3 usually has 15 recordings by now; none since 18:00.'

  it('is reported with the usual number of recordings and the reason, unlike the other folder', () => {
    const reportedStatus = status('gentle')
    expect(silenceSentences(reportedStatus)).toEqual([SENTENCE, null])
    expect(reportedStatus.folders[0]?.silence).toMatchObject({
      loud: false,
      usual: 15,
      tonight: 0,
      night: tonight.name,
      because: expect.stringMatching(/nights? .*it had 15 recordings by 03:00\.$/),
    })
  })

  it('changes headline and state only if `silence` is `loud`', () => {
    const gentle = status('gentle')
    expect([gentle.station.headline.includes('silent'), gentle.station.state]).toEqual([false, 'working'])
    const loud = status('loud')
    expect(loud.station.headline).toBe('Folder hall is silent, needs you')
    expect(loud.station.state).toBe('attention')
    expect(silenceSentences(status('off'))).toEqual([null, null])
  })

  it('is not reported while the station is paused or the folder is missing', () => {
    expect(silenceSentences(status('loud', { missing: '/rec/hall' }))).toEqual([null, null])
    expect(silenceSentences(status('loud'))).toEqual([SENTENCE, null])
    temp.journal.station.pause(null)
    expect(silenceSentences(status('loud'))).toEqual([null, null])
  })

  it('is no longer silent after a new recording', () => {
    expect(silenceSentences(status('gentle'))[0]).toBe(SENTENCE)
    const [hall] = settingsWith('gentle').folders
    if (hall !== undefined) record(hall, LATE_MS - 60_000)
    expect(silenceSentences(status('gentle'))).toEqual([null, null])
  })

  it('stays dismissed for this night, and is reported again in the next night', () => {
    expect(silenceSentences(status('gentle'))[0]).toBe(SENTENCE)
    temp.journal.nights.dismissSilence('/rec/hall', tonight.name)
    expect(silenceSentences(status('gentle'))[0]).toBeNull()
    const nextNightMs = LATE_MS + 24 * HOUR_MS
    for (let ms = tonight.endMs; ms < nextNightMs; ms += QUARTER_MS)
      for (const { path } of settingsWith('gentle').folders) temp.journal.nights.noteWatched(path, ms)
    expect(silenceSentences(status('gentle', { atMs: nextNightMs }))[0]).toMatch(
      /^Hall 3 usually has 15 recordings by now; none since/,
    )
    const { folders } = temp.journal.nights.figures(
      nightsUntil(nextNightMs, 2),
      { service: null, sending: true },
      ['/rec/hall'],
    )
    expect(folders[0]?.nights.map(({ silentFolders }) => silentFolders)).toEqual([0, 1])
  })

  it('is shown by `sluice status` in the words of the window', () => {
    expect(statusOf(temp.folder).station.silences).toEqual([])
    const [folder] = status('loud').folders
    const { station } = statusOf(temp.folder)
    expect(station.silences).toEqual([{ folder: '/rec/hall', ...folder?.silence }])
    expect(station.headline).toBe('Folder hall is silent, needs you')
  })

  it('has a history that marks nights without a running agent as not watched', () => {
    const { station } = temp.journal.nights.figures(
      nightsUntil(tonight.startMs, NIGHTS + 3),
      { service: null, sending: true },
      [],
    )
    expect(station.map(({ watched }) => watched)).toEqual([
      ...[false, false, false],
      ...Array.from({ length: NIGHTS }, () => true),
    ])
  })
})
