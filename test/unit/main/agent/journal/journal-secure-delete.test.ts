import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { draftSettingsSchema } from '../../../../../shared/settings/settings.ts'
import { openTempJournal, type TempJournal } from '../../../../support/temp-journal.ts'

let temp: TempJournal
afterEach(() => temp.close())

const identity = { device: '1', inode: '1', sizeBytes: 60, mtimeNs: '1', ctimeNs: '1' }
const [folder] = draftSettingsSchema.parse({ folders: [{ path: '/rec', site: 'lab' }] }).folders

test('after a close, no file of the journal contains a deleted signed URL', () => {
  temp = openTempJournal(() => 0)
  const { journal } = temp
  const { id } = journal.recordings.add({ path: '/rec/a.bin', identity }, folder!, {
    findSessionFirst: false,
  })
  const numbers = Array.from({ length: 60 }, (_, index) => index + 1)
  journal.parts.replace(
    id,
    numbers.map((number) => ({ bytes: 1, sha256: String(number).padStart(64, '0') })),
  )
  journal.parts.setUrls(
    id,
    numbers.map((number) => ({ number, url: `https://s.example/${number}?s=planted${'x'.repeat(500)}` })),
  )
  journal.parts.forgetUrls(id)
  journal.close()
  const filesWithUrl = readdirSync(temp.folder).filter((name) =>
    readFileSync(path.join(temp.folder, name)).includes('planted'),
  )
  expect(filesWithUrl).toEqual([])
})
