import { afterEach, beforeEach, expect, test } from 'vitest'
import { learnFromFolder } from '../../../../../main/agent/calls/learn-from-folder.ts'
import type { Journal } from '../../../../../main/agent/journal/journal.ts'
import { learnedWords } from '../../../../../shared/ipc/learned-expectation.ts'
import { draftSettingsSchema } from '../../../../../shared/settings/settings.ts'
import type { Inspection } from '../../../../../shared/status/inspection.ts'
import { inspectionOf } from '../../../../support/inspections.ts'
import { openTempJournal, type TempJournal } from '../../../../support/temp-journal.ts'

const [folder] = draftSettingsSchema.parse({ folders: [{ path: '/rec', site: 'lab' }] }).folders

let temp: TempJournal
let journal: Journal
beforeEach(() => {
  temp = openTempJournal(() => 1_000_000)
  journal = temp.journal
})
afterEach(() => temp.close())

let inode = 0
const record = (count: number, fields: Partial<Inspection>) => {
  for (let n = 0; n < count; n++) {
    if (folder === undefined) throw new Error('a folder is needed')
    inode += 1
    const file = {
      path: `/rec/${inode}.mcap`,
      identity: { device: '1', inode: `${inode}`, sizeBytes: 1, mtimeNs: '1', ctimeNs: '1' },
    }
    const { id } = journal.recordings.add(file, folder, { findSessionFirst: false })
    journal.recordings.transition(id, 'growing', { kind: 'settled' }, { reason: 'unchanged for 10 s' })
    journal.inspections.save(id, inspectionOf(fields))
  }
}

test('learns only from complete recordings of the most frequent format, and counts only those', () => {
  record(6, {})
  record(2, { completeness: 'cut-off' })
  record(3, { format: 'csv' })
  record(1, { format: 'other' })
  const learned = learnFromFolder(journal, '/rec')
  expect(learned).toMatchObject({ recordings: 6, leftOut: 0, deviating: 0 })
  expect(learnedWords(learned)).toBe(
    'Learned from the last 6 recordings. None of them would have been reported as not as expected.',
  )
})

test('learns nothing from recordings that are cut off, and says how many complete recordings it needs', () => {
  record(2, {})
  record(6, { completeness: 'cut-off' })
  const learned = learnFromFolder(journal, '/rec')
  expect(learned).toMatchObject({ expect: null, recordings: 2 })
  expect(learnedWords(learned)).toBe('Sluice needs 5 complete recordings of one format. This folder has 2.')
})
