import { afterEach, beforeEach, expect, test } from 'vitest'
import { problemOf } from '../../../../../main/agent/domain/problems.ts'
import { rowOf } from '../../../../../main/agent/status/recording-rows.ts'
import { takeDetailOf } from '../../../../../main/agent/status/take-rows.ts'
import { linuxPaths } from '../../../../../shared/paths/paths.ts'
import { settingsSchema } from '../../../../../shared/settings/settings.ts'
import { openTempJournal, type TempJournal } from '../../../../support/temp-journal.ts'

const FILES = 1_005
const [folder] = settingsSchema.parse({
  service: { base_url: 'https://api.example.com' },
  folders: [{ path: '/rec', site: 'lab', take: 'folder' }],
}).folders
const view = { service: 'https://api.example.com', sending: true }

let temp: TempJournal
let nowMs = Date.parse('2026-11-15T20:00:00Z')
beforeEach(() => {
  temp = openTempJournal(() => (nowMs += 1_000), linuxPaths)
})
afterEach(() => temp.close())

test('actions and the receipt of a take include the files beyond those that the window lists', () => {
  const { recordings } = temp.journal
  const ids: number[] = []
  temp.journal.transaction(() => {
    for (let number = 0; number < FILES; number += 1) {
      const stamp = String(nowMs)
      const identity = { device: '1', inode: stamp, sizeBytes: 10, mtimeNs: stamp, ctimeNs: stamp }
      const path = `/rec/a/${String(number).padStart(4, '0')}`
      ids.push(recordings.add({ path, identity }, folder!, { findSessionFirst: false }).id)
    }
  })
  const last = ids.at(-1)!
  recordings.patch(last, { problem: problemOf('empty-file') })
  const take = takeDetailOf(recordings.byId(last)!, temp.journal, (recording) =>
    rowOf(recording, null, view, () => undefined),
  )
  expect(take?.files).toHaveLength(1_000)
  expect(take?.files[0]?.id).toBe(last)
  expect(take?.ids).toEqual(ids)
  expect(take?.targets).toMatchObject({ retry: [last], dismiss: [last], pause: ids })
})
