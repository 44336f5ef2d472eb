import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { done, failed, type Outcome } from '../../../../../../main/agent/domain/failure.ts'
import type { FileIdentity } from '../../../../../../main/agent/domain/file-identity.ts'
import { Watcher } from '../../../../../../main/agent/flow/watch/watcher.ts'
import { type Journal, openJournal } from '../../../../../../main/agent/journal/journal.ts'
import type { Files } from '../../../../../../main/agent/ports/files.ts'
import type {
  FolderAccess,
  FoundFile,
  Sharing,
  VolumeIdentity,
} from '../../../../../../main/agent/ports/folders.ts'
import { linuxPaths } from '../../../../../../shared/paths/paths.ts'
import { settingsSchema } from '../../../../../../shared/settings/settings.ts'

const MINUTE_MS = 60_000
/** Each simulated scan takes as long as the scan of a folder with about 50,000 files. */
const SCAN_DURATION_MS = 1_000
const ordinaryVolume: VolumeIdentity = { device: '1', inode: '1' }
const STARTED_AT_MS = Date.parse('2026-03-12T07:42:00Z')
const LONG_AGO_NS = '1700000000123456789'
/** With `ignore_existing`, Sluice ignores these files, because they existed before its first scan. */
const oldFiles = Array.from({ length: 10_000 }, (_, n) => ({
  path: `/recordings/take-${n}.bin`,
  identity: { device: '1', inode: String(n), sizeBytes: 3, mtimeNs: LONG_AGO_NS, ctimeNs: LONG_AGO_NS },
}))

let volume: VolumeIdentity
let folder: string
let journal: Journal
let nowMs: number
let scans: number
let files: FoundFile[]
let sendEvent: (path: string) => void
let isUnusable: boolean
let scanError: Error | null
let watchCalls: number
let warnings: number
let publications: number
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sluice-rhythm-'))
  journal = openJournal(folder, Date.now, linuxPaths).journal
  nowMs = STARTED_AT_MS
  scans = 0
  volume = ordinaryVolume
  files = oldFiles
  scanStartsWatches = false
  hadEnterCallback = []
  isWatchReady = true
  isUnusable = false
  scanError = null
  watchCalls = 0
  warnings = 0
  publications = 0
  isFolderThere = true
})
afterEach(() => {
  journal.close()
  rmSync(folder, { recursive: true, force: true })
})

let isFolderThere = true
/** True on a share, where a second scan starts the watches. That scan gets the callback `enter`. */
let scanStartsWatches = false
let hadEnterCallback: boolean[] = []
let isWatchReady = true
let signalReady: () => void = () => {}

const folderAccessOf = (sharing: Sharing): FolderAccess => ({
  scan: async (_folder, _signal, enter) => {
    if (!isFolderThere) return { kind: 'offline', detail: 'not there' }
    scans += 1
    if (scanError !== null) throw scanError
    hadEnterCallback.push(enter !== undefined)
    nowMs += isUnusable ? 1 : SCAN_DURATION_MS
    if (isUnusable) return { kind: 'unusable', detail: 'EPERM' }
    return { kind: 'scanned', files, unreadableNames: [], unreadablePaths: [], removalNames: [], volume }
  },
  watch: (_, listener) => {
    sendEvent = listener.hint
    watchCalls += 1
    signalReady = listener.ready
    // The system refuses to watch an unreadable folder.
    if (isWatchReady) queueMicrotask(isUnusable ? () => listener.error('EPERM') : listener.ready)
    return { enter: scanStartsWatches ? () => {} : null, close: () => {} }
  },
  sharing: async () => sharing,
  volumeOf: async () => (isFolderThere ? volume : null),
})

const identify = (path: string): Outcome<FileIdentity> => {
  const file = files.find((one) => one.path === path)
  return file === undefined ? failed({ kind: 'file-vanished' }) : done(file.identity)
}

const watcherOn = (sharing: Sharing, ignoreExisting: boolean): Watcher => {
  const settings = settingsSchema.parse({
    service: { base_url: 'http://127.0.0.1:1' },
    folders: [{ path: '/recordings', site: 'lab', ignore_existing: ignoreExisting }],
  })
  return new Watcher(settings.folders[0]!, {
    journal,
    folderAccess: folderAccessOf(sharing),
    files: {
      identify: async (path) => identify(path),
      presence: async (path) => (identify(path).ok ? 'file' : 'missing'),
    } as Files,
    clock: { wallMs: () => nowMs, monotonicMs: () => nowMs },
    log: {
      info: () => {},
      warn: () => {
        warnings += 1
      },
      error: () => {},
    },
    wake: () => {},
    onState: () => {
      publications += 1
    },
    paths: linuxPaths,
    inner: [],
  })
}

const step = async (watcher: Watcher): Promise<void> => {
  nowMs += await watcher.step(new AbortController().signal)
}

/** Counts the scans of an idle folder in the hour after the start. */
const scansInAnHour = async (sharing: Sharing): Promise<number> => {
  const watcher = watcherOn(sharing, true)
  const hourLater = nowMs + 60 * MINUTE_MS
  while (nowMs < hourLater) await step(watcher)
  watcher.close()
  return scans
}

test('scans an idle large folder on a local drive about a dozen times an hour', async () => {
  expect(await scansInAnHour('own')).toBeLessThanOrEqual(14)
})

test('scans an idle folder on a share or on a drive of unknown kind more than once a minute', async () => {
  expect(await scansInAnHour('shared')).toBeGreaterThan(60)
  scans = 0
  expect(await scansInAnHour('unknown')).toBeGreaterThan(60)
})

test('publishes a state change at once, and publishes nothing for a scan without changes', async () => {
  const watcher = watcherOn('own', true)
  await step(watcher)
  expect([watcher.state.state, publications]).toEqual(['watching', 1])
  nowMs += 60 * MINUTE_MS
  await step(watcher)
  expect(publications).toBe(1)
  isFolderThere = false
  await step(watcher)
  expect([watcher.state.state, publications]).toEqual(['offline', 2])
  isFolderThere = true
  await step(watcher)
  expect([watcher.state.state, publications]).toEqual(['watching', 3])
  watcher.close()
})

const TAKE = '/recordings/take.bin'
const takeOfSize = (sizeBytes: number, inode = '1'): FoundFile => {
  const identity = { device: '1', inode, sizeBytes, mtimeNs: `${nowMs}000000`, ctimeNs: `${nowMs}000000` }
  return { path: TAKE, identity }
}

test('scans again as soon as the watch has started, and finds a file that appeared after the first scan', async () => {
  isWatchReady = false
  files = [takeOfSize(10)]
  const watcher = watcherOn('own', false)
  while (!watcher.scanned) await step(watcher)
  files = [...files, { ...takeOfSize(5, '2'), path: '/recordings/between.bin' }]
  signalReady()
  expect(watcher.scanned).toBe(false)
  const readyAtMs = nowMs
  while (!watcher.scanned) await step(watcher)
  expect(journal.recordings.currentByPath('/recordings/between.bin')).not.toBeNull()
  expect({ scans, isSoon: nowMs - readyAtMs < MINUTE_MS / 3 }).toEqual({ scans: 2, isSoon: true })
  watcher.close()
})

test('scans a share a second time to start its watches', async () => {
  scanStartsWatches = true
  isWatchReady = false
  files = [takeOfSize(10)]
  const watcher = watcherOn('shared', false)
  while (!watcher.scanned) await step(watcher)
  expect(hadEnterCallback).toEqual([false, true])
  watcher.close()
})

test('scans an unreadable folder a few times a minute, and does not try to watch it', async () => {
  isUnusable = true
  const watcher = watcherOn('own', false)
  const minuteLater = nowMs + MINUTE_MS
  while (nowMs < minuteLater) await step(watcher)
  expect(scans).toBeLessThan(8)
  expect({ watchCalls, warnings }).toEqual({ watchCalls: 0, warnings: 0 })
  expect(watcher.state.state).toBe('unusable')
  isUnusable = false
  files = [takeOfSize(10)]
  while (!watcher.scanned || watcher.state.state !== 'watching') await step(watcher)
  expect(watchCalls).toBe(1)
  expect(watcher.state).toEqual({ state: 'watching', problem: null })
  watcher.close()
})

test('checks only the growing file while a recorder writes, without a full scan', async () => {
  files = [takeOfSize(10)]
  const watcher = watcherOn('own', false)
  while (!watcher.scanned) await step(watcher)
  const before = scans
  for (let second = 1; second <= 10; second += 1) {
    nowMs += 1_000
    files = [takeOfSize(10 + second)]
    sendEvent(TAKE)
    expect(watcher.scanned).toBe(false)
    await watcher.step(new AbortController().signal)
    expect(journal.recordings.currentByPath(TAKE)?.identity.sizeBytes).toBe(10 + second)
  }
  expect(scans).toBe(before)
})

test.each([
  [
    'a new file beside the growing file',
    () => [...files, { ...takeOfSize(5, '2'), path: '/recordings/next.bin' }],
    '/recordings/next.bin',
  ],
  ['the growing file is missing', () => [], TAKE],
  ['a different file in place of the growing file', () => [takeOfSize(3, '9')], TAKE],
])('an event other than growth triggers a full scan: %s', async (_, change, path) => {
  files = [takeOfSize(10)]
  const watcher = watcherOn('own', false)
  while (!watcher.scanned) await step(watcher)
  const before = scans
  files = change()
  sendEvent(TAKE)
  sendEvent(path)
  nowMs += 60_000
  await step(watcher)
  expect(scans).toBe(before + 1)
})

test('probes a folder every second just after it vanished, and less often later', async () => {
  files = oldFiles.slice(0, 10)
  const watcher = watcherOn('own', false)
  while (!watcher.scanned) await step(watcher)
  const isInState = (state: string) => watcher.state.state === state
  isFolderThere = false
  sendEvent('/recordings')
  while (!isInState('offline')) await step(watcher)
  const nextStepMs = () => watcher.step(new AbortController().signal)
  expect(await nextStepMs()).toBe(1_000)
  nowMs += 2 * MINUTE_MS
  expect(await nextStepMs()).toBe(15_000)
  isFolderThere = true
  while (!isInState('watching') || !watcher.scanned) await step(watcher)
  expect(await nextStepMs()).toBe(15_000)
  watcher.close()
})

test.each([undefined, 'root:2:5'])(
  'a scan keeps the stored UUID of the drive while the system reports %s instead',
  async (drive) => {
    files = []
    volume = { ...ordinaryVolume, drive: 'uuid:a' }
    const watcher = watcherOn('own', true)
    await step(watcher)
    const setVolume = vi.spyOn(journal.volumes, 'setVolume')
    volume = { ...ordinaryVolume, drive }
    for (let scan = 0; scan < 3; scan += 1) {
      nowMs += 60 * MINUTE_MS
      await step(watcher)
    }
    expect(scans).toBe(4)
    expect(setVolume).not.toHaveBeenCalled()
    expect(journal.volumes.volumeOf('/recordings')?.drive).toBe('uuid:a')
    watcher.close()
  },
)

test('an unexpected error of a scan is a problem of the folder until a scan succeeds', async () => {
  const watcher = watcherOn('own', true)
  scanError = new Error('Invalid package')
  await expect(watcher.step(new AbortController().signal)).rejects.toThrow('Invalid package')
  expect(watcher.state).toMatchObject({
    state: 'unusable',
    problem: { code: 'folder-unreadable', sentence: 'The folder cannot be read. (Invalid package)' },
  })
  scanError = null
  await step(watcher)
  expect(watcher.state).toEqual({ state: 'watching', problem: null })
})

test('an unexpected error while Sluice records the result of a scan is a problem of the folder', async () => {
  files = [takeOfSize(10)]
  const watcher = watcherOn('own', false)
  vi.spyOn(journal.recordings, 'seenBefore').mockImplementationOnce(() => {
    throw new Error('Invalid path')
  })
  await expect(watcher.step(new AbortController().signal)).rejects.toThrow('Invalid path')
  expect(watcher.state).toMatchObject({ state: 'unusable', problem: { code: 'folder-unreadable' } })
  await step(watcher)
  expect(watcher.state).toEqual({ state: 'watching', problem: null })
  watcher.close()
})

test.each(['SQLITE_BUSY', 'SQLITE_FULL'])(
  'an error of the journal is no problem of the folder: %s',
  async (code) => {
    files = [takeOfSize(10)]
    const watcher = watcherOn('own', false)
    while (!watcher.scanned) await step(watcher)
    const error = new Database.SqliteError('the journal', code)
    // `scanError` simulates an error of the journal during the scan. Later, `seenBefore` fails while Sluice records its
    // result.
    scanError = error
    nowMs += 60 * MINUTE_MS
    await expect(watcher.step(new AbortController().signal)).rejects.toBe(error)
    scanError = null
    vi.spyOn(journal.recordings, 'seenBefore').mockImplementationOnce(() => {
      throw error
    })
    await expect(watcher.step(new AbortController().signal)).rejects.toBe(error)
    expect(watcher.state).toEqual({ state: 'watching', problem: null })
    expect(journal.folders.of('/recordings')).toMatchObject({ state: 'watching', problems: [] })
    watcher.close()
  },
)
