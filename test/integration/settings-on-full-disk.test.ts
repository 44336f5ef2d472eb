import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Agent } from '../../main/agent/assembly/agent.ts'
import { JournalFullError } from '../../main/agent/journal/journal-errors.ts'
import { settingsSchema } from '../../shared/settings/settings.ts'
import { until } from '../support/station.ts'

let root: string
let recordings: string
let agent: Agent
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'sluice-full-'))
  recordings = path.join(root, 'recordings')
  mkdirSync(recordings)
  writeFileSync(path.join(recordings, 'take.bin'), 'a take')
  const ignore = () => {}
  agent = new Agent({
    dataFolder: path.join(root, 'data'),
    log: { info: ignore, warn: ignore, error: ignore },
    onDamage: ignore,
  })
  agent.start()
})
afterEach(async () => {
  vi.restoreAllMocks()
  await agent.stop()
  rmSync(root, { recursive: true })
})

const configure = (folders: readonly string[]) =>
  agent.configure({
    settings: settingsSchema.parse({
      service: { base_url: 'http://127.0.0.1:1' },
      folders: folders.map((folder) => ({ path: folder, site: 'lab' })),
    }),
    apiKey: null,
    systemProxy: { kind: 'unknown' },
  })
const problemCode = () => agent.journal.views.everything()[0]?.problem?.code ?? null

test('if a folder is added again while the disk is full, its recordings continue once the disk has space', async () => {
  const other = path.join(root, 'other')
  mkdirSync(other)
  await configure([recordings, other])
  await until('the recording is found', () => agent.journal.views.everything().length === 1)
  await configure([other])
  await until('the recording waits for its folder', () => problemCode() === 'folder-removed')

  vi.spyOn(agent.journal.recordings, 'patch').mockImplementation(() => {
    throw new JournalFullError()
  })
  await configure([recordings, other])
  expect(agent.station.code('disk')).toBe('disk-full')
  expect(problemCode()).toBe('folder-removed')

  vi.restoreAllMocks()
  await until('the recording continues', () => problemCode() === null)
})
