import { expect, test } from 'vitest'
import {
  DAY_MS,
  deniedSinceMs,
  isBelowFloor,
  isSafeInJournal,
  isTooSoonByServiceClock,
  movedPath,
  numbered,
  removableWithUnseenWriterAtMs,
  removalCutoffMs,
  serviceObjection,
} from '../../../../../main/agent/domain/removal-rules.ts'
import { previewSentences, type RemovalPreview } from '../../../../../shared/ipc/removal-preview.ts'
import { linuxPaths, windowsPaths } from '../../../../../shared/paths/paths.ts'
import {
  afterUploadWords,
  keepAllFiles,
  removedFileWords,
} from '../../../../../shared/settings/after-upload.ts'
import { settingsSchema } from '../../../../../shared/settings/settings.ts'
import { settingsFaults } from '../../../../../shared/settings/settings-faults.ts'

const sha256 = 'ab'.repeat(32)
const safe = {
  state: 'processed',
  current: true,
  paused: false,
  problem: null,
  service: 'https://api.example.com',
  underTestKey: false,
  sessionId: 'ses_1',
  sha256,
  removedAtMs: null,
} as const

test('a recording is safe to remove only if the current service processed it with a live key, and nothing holds it', () => {
  expect(isSafeInJournal(safe, safe.service)).toBe(true)
  expect(isSafeInJournal(safe, 'https://other.example.com')).toBe(false)
  expect(isSafeInJournal(safe, null)).toBe(false)
  for (const change of [
    { state: 'processing' as const },
    { current: false },
    { paused: true },
    { problem: {} },
    { sessionId: null },
    { sha256: null },
    { removedAtMs: 1 },
    { underTestKey: true },
  ])
    expect(isSafeInJournal({ ...safe, ...change }, safe.service), JSON.stringify(change)).toBe(false)
})

test('the service must report the recording as processed, with the same size and checksum; a missing value prevents the removal', () => {
  const recording = { sha256, identity: { sizeBytes: 12 } }
  const session = {
    status: 'processed',
    sha256: sha256.toUpperCase(),
    bytes: 12,
    createdAt: null,
    processedAt: null,
  }
  expect(serviceObjection(session, recording)).toBeNull()
  expect(serviceObjection({ ...session, status: 'failed' }, recording)).toBe('not-processed')
  expect(serviceObjection({ ...session, status: 'archived' }, recording)).toBe('not-processed')
  expect(serviceObjection({ ...session, sha256: null }, recording)).toBe('content-unshown')
  expect(serviceObjection({ ...session, bytes: null }, recording)).toBe('content-unshown')
  expect(serviceObjection({ ...session, bytes: 13 }, recording)).toBe('content-differs')
  expect(serviceObjection({ ...session, sha256: 'cd'.repeat(32) }, recording)).toBe('content-differs')
})

test('if the PC’s clock is years ahead, the days until removal still count by the service’s clock', () => {
  const now = Date.parse('2026-03-12T00:00:00Z')
  const session = { createdAt: null, processedAt: '2026-03-10T00:00:00Z' }
  expect(isTooSoonByServiceClock(session, 0, now, 3)).toBe(true)
  expect(isTooSoonByServiceClock(session, 0, now, 2)).toBe(false)
})

test('if the service shows no time of processing, the days count from the time in the journal', () => {
  const now = Date.parse('2026-03-12T00:00:00Z')
  const seenAtMs = now - 2 * DAY_MS
  const none = { createdAt: null, processedAt: null }
  for (const session of [none, { ...none, processedAt: 'soon' }]) {
    expect(isTooSoonByServiceClock(session, seenAtMs, now, 3)).toBe(true)
    expect(isTooSoonByServiceClock(session, seenAtMs, now, 2)).toBe(false)
    expect(isTooSoonByServiceClock(session, null, now, 2)).toBe(true)
    expect(isTooSoonByServiceClock(session, null, now, 0)).toBe(false)
  }
  // The PC's clock was years behind when the journal stored the time, so the days count from the session's creation.
  expect(isTooSoonByServiceClock({ ...none, createdAt: '2026-03-11T00:00:00Z' }, 0, now, 2)).toBe(true)
})

test('below the free-space limit, any safe file may be removed; above it, only files whose retention days have passed', () => {
  const policy = { action: 'delete', days: 3, keep_free_bytes: 100 } as const
  expect(isBelowFloor(policy, 99)).toBe(true)
  expect(isBelowFloor(policy, 100)).toBe(false)
  expect(isBelowFloor(policy, null)).toBe(false)
  expect(isBelowFloor({ action: 'delete', days: 3 }, 0)).toBe(false)
  expect(removalCutoffMs(policy, 10 * DAY_MS, false)).toBe(7 * DAY_MS)
  expect(removalCutoffMs(policy, 10 * DAY_MS, true)).toBe(10 * DAY_MS)
})

test('a moved file keeps its path relative to the folder, and gets a number if the name is taken', () => {
  expect(movedPath(linuxPaths, '/rec', '/mnt/a', '/rec/n/take.tar.gz', 1)).toBe('/mnt/a/n/take.tar.gz')
  expect(movedPath(windowsPaths, 'C:\\rec', 'D:\\a', 'c:\\REC\\n\\take.wav', 2)).toBe(
    'D:\\a\\n\\take (2).wav',
  )
  expect(movedPath(linuxPaths, '/rec', '/mnt/a', '/elsewhere/take.wav', 1)).toBeNull()
  expect(numbered('/a.b/take', 3)).toBe('/a.b/take (3)')
  expect(numbered('/a/.hidden', 2)).toBe('/a/.hidden (2)')
})

test('a numbered name has at most 255 bytes, and keeps its extension', () => {
  const name = `${'é'.repeat(124)}.mcap`
  const second = numbered(`/a/${name}`, 2)
  expect(second).toMatch(/^\/a\/é+ \(2\)\.mcap$/)
  expect(Buffer.byteLength(second.slice('/a/'.length))).toBeLessThanOrEqual(255)
})

const faultsOf = (folders: readonly object[], paths = linuxPaths) =>
  settingsFaults(
    settingsSchema.parse({
      service: { base_url: 'https://api.example.com' },
      folders: folders.map((folder) => ({ site: 'lab', ...folder })),
    }),
    paths,
  )

test('a move target is an absolute path, neither inside a watched folder nor a parent of one', () => {
  const move = (to: string) => ({ after_upload: { action: 'move', to } })
  expect(faultsOf([{ path: '/rec', ...move('/archive') }])).toEqual([])
  for (const to of ['archive', '/rec', '/rec/old', '/rec/', '/', '/other/in'])
    expect(faultsOf([{ path: '/rec', ...move(to) }, { path: '/other' }]), to).toMatchObject([
      { path: 'folders.0.after_upload.to' },
    ])
  expect(faultsOf([{ path: 'C:\\Rec', ...move('c:\\rec\\old') }], windowsPaths)).toHaveLength(1)
})

test('describes rules and their effect in plain words', () => {
  expect(afterUploadWords({ action: 'keep' })).toBe('kept on this PC')
  expect(afterUploadWords({ action: 'delete', days: 1, keep_free_bytes: 5e11 })).toBe(
    'deleted from this PC 1 day after it was processed, or earlier if less than 500 GB is free',
  )
  expect(afterUploadWords({ action: 'move', to: '/a', days: 0 })).toBe(
    'moved to /a as soon as it is processed',
  )
  const nowMs = Date.parse('2026-03-12T08:00:00Z')
  expect(removedFileWords({ removedAt: null, movedTo: null }, nowMs)).toBeNull()
  expect(removedFileWords({ removedAt: '2026-03-09T08:00:00Z', movedTo: null }, nowMs)).toBe(
    'Removed from this PC on Mon 9 Mar',
  )
  const preview: RemovalPreview = {
    blockedBy: null,
    count: 0,
    bytes: 0,
    early: 0,
    checkedFirst: null,
    oldest: null,
    files: [],
    staying: 1,
    underTestKey: 2,
    nextAt: null,
  }
  expect(previewSentences(preview, 'move')).toEqual([
    'Nothing would be moved now.',
    '1 recording would stay: the file is missing, changed or on hold.',
    '2 recordings would stay: processed with a test key.',
  ])
  expect(previewSentences({ ...preview, blockedBy: 'test-key' }, 'delete')).toEqual([
    'This rule does not apply, because the key is a test key. Nothing is moved or deleted.',
  ])
})

test('keeps every file during a try-out, because the sandbox stores its copy on this PC', () => {
  const { folders } = keepAllFiles(
    settingsSchema.parse({
      service: { base_url: 'http://127.0.0.1:1' },
      folders: [{ path: '/rec', site: 'lab', after_upload: { action: 'delete' } }],
    }),
  )
  expect(folders).toMatchObject([{ path: '/rec', after_upload: { action: 'keep' } }])
})

test('a repeated denial by the service keeps the time of the first denial, unless the reason changes', () => {
  const earlier = { denial: 'failed', atMs: 1_000 } as const
  expect(deniedSinceMs(null, 'failed', 5_000)).toBe(5_000)
  expect(deniedSinceMs(earlier, 'failed', 5_000)).toBe(1_000)
  expect(deniedSinceMs(earlier, 'content-differs', 5_000)).toBe(5_000)
  expect(deniedSinceMs(earlier, 'failed', 900)).toBe(900)
})

test('if Sluice cannot see who writes to a file, it removes the file only a day after the last change', () => {
  const removableAtMs = (mtimeMs: number, ctimeMs: number) =>
    removableWithUnseenWriterAtMs({ mtimeNs: `${mtimeMs}000000`, ctimeNs: `${ctimeMs}000000` }, 1_000)
  expect(removableAtMs(100, 200)).toBe(200 + DAY_MS)
  expect(removableAtMs(300, 200)).toBe(300 + DAY_MS)
  // A wrong mtime from a recorder's clock does not delay the removal by years.
  expect(removableAtMs(9_000_000, 200)).toBe(200 + DAY_MS)
  // The clock was set back after the change, so the change may be recent.
  expect(removableAtMs(100, 9_000_000)).toBe(1_000 + DAY_MS)
})
