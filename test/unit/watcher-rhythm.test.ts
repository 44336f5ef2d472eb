import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Journal, openJournal } from '../../main/agent/journal/journal.ts'
import { Watcher } from '../../main/agent/pipeline/watcher.ts'
import type { Files, FolderEyes, Sharing } from '../../main/agent/ports.ts'
import { linuxPaths } from '../../shared/paths/paths.ts'
import { settingsSchema } from '../../shared/settings.ts'

const MINUTE = 60_000
/** As long as some fifty thousand files take. */
const LOOK_MS = 1_000
const volume = { device: '1', inode: '1' }
const STARTED_AT = Date.parse('2026-03-12T07:42:00Z')
const LONG_AGO_NS = '1700000000123456789'
/** There before Sluice, and none of its business. */
const files = Array.from({ length: 10_000 }, (_, n) => ({
  path: `/recordings/take-${n}.bin`,
  identity: { device: '1', inode: String(n), sizeBytes: 3, mtimeNs: LONG_AGO_NS, ctimeNs: LONG_AGO_NS },
}))

let folder: string
let journal: Journal
let nowMs: number
let looks: number
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sluice-rhythm-'))
  journal = openJournal(folder, Date.now, linuxPaths).journal
  nowMs = STARTED_AT
  looks = 0
})
afterEach(() => {
  journal.close()
  rmSync(folder, { recursive: true, force: true })
})

const eyesOn = (sharing: Sharing): FolderEyes => ({
  scan: async () => {
    looks += 1
    nowMs += LOOK_MS
    return { kind: 'scanned', files, unreadableNames: [], unreadablePaths: [], setAside: [], volume }
  },
  watch: () => async () => {},
  sharing: async () => sharing,
  volumeOf: async () => volume,
})

/** How often a folder in which nothing happens is looked through in the hour after its start. */
const looksInAnHour = async (sharing: Sharing): Promise<number> => {
  const settings = settingsSchema.parse({
    service: { base_url: 'http://127.0.0.1:1' },
    folders: [{ path: '/recordings', site: 'lab', ignore_existing: true }],
  })
  const watcher = new Watcher(settings.folders[0]!, {
    journal,
    eyes: eyesOn(sharing),
    files: {} as Files,
    clock: { wallMs: () => nowMs, monotonicMs: () => nowMs },
    log: { info: () => {}, warn: () => {}, error: () => {} },
    wake: () => {},
    paths: linuxPaths,
    inner: [],
  })
  const hourLater = nowMs + 60 * MINUTE
  while (nowMs < hourLater) nowMs += await watcher.step(new AbortController().signal)
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
