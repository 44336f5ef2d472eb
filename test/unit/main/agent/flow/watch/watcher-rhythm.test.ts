import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { done, failed, type Outcome } from '../../../../../../main/agent/domain/failure.ts'
import type { FileIdentity } from '../../../../../../main/agent/domain/file-identity.ts'
import { Watcher } from '../../../../../../main/agent/flow/watch/watcher.ts'
import { type Journal, openJournal } from '../../../../../../main/agent/journal/journal.ts'
import type { Files } from '../../../../../../main/agent/ports/files.ts'
import type { FolderEyes, FoundFile, Sharing } from '../../../../../../main/agent/ports/folders.ts'
import { linuxPaths } from '../../../../../../shared/paths/paths.ts'
import { settingsSchema } from '../../../../../../shared/settings/settings.ts'

const MINUTE = 60_000
/** As long as some fifty thousand files take. */
const LOOK_MS = 1_000
const volume = { device: '1', inode: '1' }
const STARTED_AT = Date.parse('2026-03-12T07:42:00Z')
const LONG_AGO_NS = '1700000000123456789'
/** There before Sluice, and none of its business. */
const oldFiles = Array.from({ length: 10_000 }, (_, n) => ({
  path: `/recordings/take-${n}.bin`,
  identity: { device: '1', inode: String(n), sizeBytes: 3, mtimeNs: LONG_AGO_NS, ctimeNs: LONG_AGO_NS },
}))

let folder: string
let journal: Journal
let nowMs: number
let looks: number
let files: FoundFile[]
let announced: (path: string) => void
let unusable: boolean
let listenings: number
let warnings: number
let told: number
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sluice-rhythm-'))
  journal = openJournal(folder, Date.now, linuxPaths).journal
  nowMs = STARTED_AT
  looks = 0
  files = oldFiles
  listensFirst = false
  unusable = false
  listenings = 0
  warnings = 0
  told = 0
  isThere = true
})
afterEach(() => {
  journal.close()
  rmSync(folder, { recursive: true, force: true })
})

let listensFirst = false
let isThere = true

const eyesOn = (sharing: Sharing): FolderEyes => ({
  scan: async () => {
    if (!isThere) return { kind: 'offline', detail: 'not there' }
    looks += 1
    nowMs += unusable ? 1 : LOOK_MS
    if (unusable) return { kind: 'unusable', detail: 'EPERM' }
    return { kind: 'scanned', files, unreadableNames: [], unreadablePaths: [], setAside: [], volume }
  },
  watch: (_, listener) => {
    announced = listener.hint
    listenings += 1
    // Who may not read a folder may not listen to it either.
    queueMicrotask(unusable ? () => listener.error('EPERM') : listener.ready)
    return { enter: listensFirst ? () => {} : null, close: async () => {} }
  },
  sharing: async () => sharing,
  volumeOf: async () => (isThere ? volume : null),
})

const identified = (path: string): Outcome<FileIdentity> => {
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
    eyes: eyesOn(sharing),
    files: {
      identify: async (path) => identified(path),
      exists: async (path) => identified(path).ok,
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
      told += 1
    },
    paths: linuxPaths,
    inner: [],
  })
}

const step = async (watcher: Watcher): Promise<void> => {
  nowMs += await watcher.step(new AbortController().signal)
}

/** How often a folder in which nothing happens is looked through in the hour after its start. */
const looksInAnHour = async (sharing: Sharing): Promise<number> => {
  const watcher = watcherOn(sharing, true)
  const hourLater = nowMs + 60 * MINUTE
  while (nowMs < hourLater) await step(watcher)
  await watcher.close()
  return looks
}

test('a large folder on a drive of this PC is looked through a dozen times an hour, with nothing announced', async () => {
  expect(await looksInAnHour('own')).toBeLessThanOrEqual(14)
})

test('a share, and a drive of which nothing is known, is looked through so often that nothing waits long', async () => {
  expect(await looksInAnHour('shared')).toBeGreaterThan(60)
  looks = 0
  expect(await looksInAnHour('unknown')).toBeGreaterThan(60)
})

test('that a folder is watched, gone and back is told at once, and no look that finds it as it was', async () => {
  const watcher = watcherOn('own', true)
  await step(watcher)
  expect([watcher.state.state, told]).toEqual(['watching', 1])
  nowMs += 60 * MINUTE
  await step(watcher)
  expect(told).toBe(1)
  isThere = false
  await step(watcher)
  expect([watcher.state.state, told]).toEqual(['offline', 2])
  isThere = true
  await step(watcher)
  expect([watcher.state.state, told]).toEqual(['watching', 3])
  await watcher.close()
})

const TAKE = '/recordings/take.bin'
const grownTo = (sizeBytes: number, inode = '1'): FoundFile => {
  const identity = { device: '1', inode, sizeBytes, mtimeNs: `${nowMs}000000`, ctimeNs: `${nowMs}000000` }
  return { path: TAKE, identity }
}

test('a folder that is listened to before it is read is looked through once; any other one once more', async () => {
  files = [grownTo(10)]
  for (const isFirst of [true, false]) {
    listensFirst = isFirst
    looks = 0
    const watcher = watcherOn('own', false)
    while (!watcher.scanned) await step(watcher)
    expect(looks).toBe(isFirst ? 1 : 2)
    await watcher.close()
  }
})

test('a folder that is there and may not be read is looked for now and then, and not listened to each time', async () => {
  unusable = true
  const watcher = watcherOn('own', false)
  const minuteLater = nowMs + MINUTE
  while (nowMs < minuteLater) await step(watcher)
  expect(looks).toBeLessThan(8)
  expect({ listenings, warnings }).toEqual({ listenings: 1, warnings: 1 })
  expect(watcher.state.state).toBe('unusable')
  unusable = false
  files = [grownTo(10)]
  while (!watcher.scanned || watcher.state.state !== 'watching') await step(watcher)
  expect(listenings).toBe(2)
  expect(watcher.state).toEqual({ state: 'watching', problem: null })
  await watcher.close()
})

test('a recorder that goes on writing has its file looked at, and not the whole folder each time', async () => {
  files = [grownTo(10)]
  const watcher = watcherOn('own', false)
  while (!watcher.scanned) await step(watcher)
  const before = looks
  for (let second = 1; second <= 10; second += 1) {
    nowMs += 1_000
    files = [grownTo(10 + second)]
    announced(TAKE)
    expect(watcher.scanned).toBe(false)
    await watcher.step(new AbortController().signal)
    expect(journal.recordings.currentByPath(TAKE)?.identity.sizeBytes).toBe(10 + second)
  }
  expect(looks).toBe(before)
})

test.each([
  [
    'another file beside it',
    () => [...files, { ...grownTo(5, '2'), path: '/recordings/next.bin' }],
    '/recordings/next.bin',
  ],
  ['that it is gone', () => [], TAKE],
  ['another file in its place', () => [grownTo(3, '9')], TAKE],
])('what is announced beside growth is looked for in the folder: %s', async (_what, change, path) => {
  files = [grownTo(10)]
  const watcher = watcherOn('own', false)
  while (!watcher.scanned) await step(watcher)
  const before = looks
  files = change()
  announced(TAKE)
  announced(path)
  nowMs += 60_000
  await step(watcher)
  expect(looks).toBe(before + 1)
})

test('a folder that has just gone is asked for every second, since most are only made anew; later less often', async () => {
  const watcher = watcherOn('own', false)
  while (!watcher.scanned) await step(watcher)
  const isIn = (state: string) => watcher.state.state === state
  isThere = false
  announced('/recordings')
  while (!isIn('offline')) await step(watcher)
  const pause = () => watcher.step(new AbortController().signal)
  expect(await pause()).toBe(1_000)
  nowMs += 2 * MINUTE
  expect(await pause()).toBe(15_000)
  isThere = true
  while (!isIn('watching') || !watcher.scanned) await step(watcher)
  expect(await pause()).toBe(15_000)
  await watcher.close()
})
