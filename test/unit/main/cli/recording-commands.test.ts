import { resolve as full } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { draftSettingsSchema } from '../../../../shared/settings/settings.ts'
import { openTempJournal, type TempJournal } from '../../../support/temp-journal.ts'
import { sluice } from '../../../support/typed-command.ts'

const TAKE = full('/rec/run')
const FILES = [full('/rec/run/1.mcap'), full('/rec/run/2.mcap')] as const
const [folder] = draftSettingsSchema.parse({
  folders: [{ path: full('/rec'), site: 'lab', take: 'folder' }],
}).folders

let temp: TempJournal
beforeEach(() => {
  temp = openTempJournal(() => 1_000_000)
  for (const path of FILES) {
    const identity = { device: '1', inode: path, sizeBytes: 1, mtimeNs: '1', ctimeNs: '1' }
    temp.journal.recordings.add({ path, identity }, folder!, { findSessionFirst: false })
  }
})
afterEach(() => temp.close())

test('`prioritise` reports a take with all its files, and one file by its own path', async () => {
  const prioritise = (...args: readonly string[]) => sluice('prioritise', ...args, '--data', temp.folder)
  expect((await prioritise(TAKE)).out).toBe(`${TAKE} (2 files) is now first in the queue.\n`)
  expect(JSON.parse((await prioritise(TAKE, '--json')).out)).toEqual({
    path: TAKE,
    session_id: null,
    files: FILES.map((path) => ({ path, session_id: null })),
  })
  expect((await prioritise(FILES[0])).out).toBe(`${FILES[0]} is now first in the queue.\n`)
})
