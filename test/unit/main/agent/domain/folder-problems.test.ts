import { afterEach, beforeEach, expect, test } from 'vitest'
import { needsIn } from '../../../../../main/agent/domain/attention.ts'
import { leftOutProblems, problemWithoutPath } from '../../../../../main/agent/domain/folder-problems.ts'
import { problemOf } from '../../../../../main/agent/domain/problems.ts'
import { Watcher } from '../../../../../main/agent/flow/watch/watcher.ts'
import type { Journal } from '../../../../../main/agent/journal/journal.ts'
import type { Files } from '../../../../../main/agent/ports/files.ts'
import type { ScanResult } from '../../../../../main/agent/ports/folders.ts'
import { folderStateOf } from '../../../../../main/agent/status/folder-state.ts'
import { Progress } from '../../../../../main/agent/status/progress.ts'
import { takeSnapshot } from '../../../../../main/agent/status/snapshot.ts'
import { linuxPaths } from '../../../../../shared/paths/paths.ts'
import { settingsSchema } from '../../../../../shared/settings/settings.ts'
import { calmSources, quietOutlook } from '../../../../support/calm-snapshot.ts'
import { openTempJournal, type TempJournal } from '../../../../support/temp-journal.ts'

const settings = settingsSchema.parse({
  service: { base_url: 'https://service.invalid' },
  folders: [{ path: '/rec', site: 'lab' }],
})
const volume = { device: '1', inode: '1' }
const cleanScan = { files: [], unreadableNames: [], unreadablePaths: [], removalNames: [], volume }
const unreadable = { path: '/rec/closed', code: 'EACCES', detail: 'permission denied (EACCES)' }
const tooLong = { path: '/rec/deep', code: 'ENAMETOOLONG', detail: 'the path is too long (ENAMETOOLONG)' }

let temp: TempJournal
let journal: Journal
let nowMs: number
let nextScan: ScanResult
beforeEach(() => {
  nowMs = Date.parse('2026-11-17T03:00:00Z')
  temp = openTempJournal(() => nowMs, linuxPaths)
  journal = temp.journal
})
afterEach(() => temp.close())

const createWatcher = () =>
  new Watcher(settings.folders[0]!, {
    journal,
    folderAccess: {
      scan: async () => nextScan,
      watch: (_, listener) => {
        queueMicrotask(listener.ready)
        return { enter: () => {}, close: async () => {} }
      },
      sharing: async () => 'own',
      volumeOf: async () => (nextScan.kind === 'scanned' ? volume : null),
    },
    files: {} as Files,
    clock: { wallMs: () => nowMs, monotonicMs: () => nowMs },
    log: { info: () => {}, warn: () => {}, error: () => {} },
    wake: () => {},
    onState: () => {},
    paths: linuxPaths,
    inner: [],
  })
const scanAgain = async (folderWatcher: Watcher, result: ScanResult): Promise<void> => {
  nextScan = result
  nowMs += 60_000
  folderWatcher.rescan()
  await folderWatcher.step(new AbortController().signal)
}
const storedCodes = () => journal.folders.of('/rec')?.problems.map(({ problem }) => problem.code)
const readTroubles = () =>
  journal.activity
    .read({ groups: ['trouble'], fromMs: null, toMs: null, before: null, limit: 50 })
    .map(({ activity }) => activity.kind)
    .reverse()

test('the journal stores every problem of a folder until a full scan no longer finds it', async () => {
  const folderWatcher = createWatcher()
  await scanAgain(folderWatcher, {
    kind: 'scanned',
    ...cleanScan,
    unreadableNames: ['a-\\xff'],
    unreadablePaths: [unreadable, tooLong],
  })
  expect(storedCodes()).toEqual(['folder-entry-unreadable', 'folder-path-too-long', 'file-name-not-text'])
  const since = journal.folders.of('/rec')?.problems[0]?.since
  await scanAgain(folderWatcher, { kind: 'offline', detail: 'not there' })
  expect(storedCodes()?.[0]).toBe('folder-offline')
  expect(storedCodes()).toHaveLength(4)
  await scanAgain(folderWatcher, { kind: 'scanned', ...cleanScan, unreadablePaths: [unreadable] })
  expect(storedCodes()).toEqual(['folder-entry-unreadable'])
  expect(journal.folders.of('/rec')?.problems[0]?.since).toBe(since)
  await scanAgain(folderWatcher, { kind: 'scanned', ...cleanScan })
  expect(storedCodes()).toEqual([])
  expect(readTroubles()).toEqual([
    'left-out',
    'left-out',
    'left-out',
    'folder-lost',
    'left-out-ended',
    'left-out-ended',
    'folder-back',
    'left-out-ended',
  ])
})

test('the activity gets one entry for each path with a problem', async () => {
  const folderWatcher = createWatcher()
  await scanAgain(folderWatcher, { kind: 'scanned', ...cleanScan, unreadablePaths: [unreadable] })
  await scanAgain(folderWatcher, { kind: 'scanned', ...cleanScan, unreadablePaths: [unreadable] })
  expect(readTroubles()).toEqual(['left-out'])
  await scanAgain(folderWatcher, {
    kind: 'scanned',
    ...cleanScan,
    unreadablePaths: [unreadable, { ...unreadable, path: '/rec/closed-2' }],
  })
  expect(readTroubles()).toEqual(['left-out', 'left-out'])
  expect(journal.folders.of('/rec')?.problems[0]?.leftOut).toEqual(['/rec/closed', '/rec/closed-2'])
})

test('stores only 100 of several thousand left-out paths, but counts all of them', () => {
  const names = Array.from({ length: 5_000 }, (_, n) => `/rec/${n}-\\xff`)
  const noTakes = { mode: 'file', takeOf: (path: string) => path } as const
  const [problem] = leftOutProblems({ unreadableNames: names, unreadablePaths: [] }, noTakes)
  expect(problem?.leftOut).toHaveLength(100)
  expect(problem?.leftOutCount).toBe(5_000)
  expect(problem?.problem.sentence).toContain('and 4999 more')
  const [deep] = leftOutProblems(
    { unreadableNames: [], unreadablePaths: [{ ...tooLong, path: 'x'.repeat(9_000) }] },
    noTakes,
  )
  expect(JSON.stringify(deep).length).toBeLessThan(1_500)
})

test('a snapshot shows that each problem needs attention, even before the first scan after a start', async () => {
  await scanAgain(createWatcher(), {
    kind: 'scanned',
    ...cleanScan,
    unreadableNames: ['a-\\xff'],
    unreadablePaths: [unreadable],
  })
  for (const state of ['watching', 'scanning'] as const) {
    const status = takeSnapshot({
      ...calmSources,
      journal,
      settings,
      progress: new Progress({ wallMs: () => nowMs, monotonicMs: () => nowMs }),
      outlook: quietOutlook(journal),
      view: { service: null, sending: true },
      nowMs,
      folderState: ({ path }) => folderStateOf(journal, path, state),
    })
    expect(status.station.state).toBe('attention')
    expect(status.station.headline).toBe('You and your administrator must act')
    expect(status.station.detail).toBe('File names in rec are invalid · Files in rec cannot be read')
    expect(needsIn(status).map(({ subject }) => subject)).toEqual([
      'folder folder-entry-unreadable /rec',
      'folder file-name-not-text /rec',
    ])
  }
})

test('a folder that was offline before the start is reported as offline only after its first scan', () => {
  journal.folders.save('/rec', 'offline', [problemWithoutPath(problemOf('folder-offline'))])
  expect(folderStateOf(journal, '/rec', 'scanning').problems).toEqual([])
  expect(folderStateOf(journal, '/rec', 'offline').problem?.code).toBe('folder-offline')
})

test('a folder that was removed from the settings no longer has a problem', () => {
  journal.folders.save('/rec', 'offline', [problemWithoutPath(problemOf('folder-offline'))])
  journal.folders.save('/other', 'offline', [problemWithoutPath(problemOf('folder-offline'))])
  journal.folders.forgetExcept(['/other'])
  expect(journal.folders.all().map(({ path }) => path)).toEqual(['/other'])
})
