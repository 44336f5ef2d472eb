import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { actOnPaths } from '../../../../../main/agent/calls/path-commands.ts'
import { problemOf } from '../../../../../main/agent/domain/problems.ts'
import type { Journal } from '../../../../../main/agent/journal/journal.ts'
import { draftSettingsSchema } from '../../../../../shared/settings/settings.ts'
import { openTempJournal, type TempJournal } from '../../../../support/temp-journal.ts'

const [folder] = draftSettingsSchema.parse({
  folders: [{ path: '/rec', site: 'lab', take: 'folder' }],
}).folders

let temp: TempJournal
let journal: Journal
let ids: readonly number[]
beforeEach(() => {
  temp = openTempJournal(() => 1_000_000)
  journal = temp.journal
  ids = [1, 2, 3, 4].map((n) => addHeld(`/rec/run/${n}.jpg`, n))
})
afterEach(() => temp.close())

const addHeld = (path: string, n: number): number => {
  const identity = { device: '1', inode: `${n}`, sizeBytes: n, mtimeNs: '1', ctimeNs: '1' }
  const { id } = journal.recordings.add({ path, identity }, folder!, { findSessionFirst: false })
  journal.recordings.transition(id, 'growing', { kind: 'settled' }, { reason: 'unchanged' })
  journal.recordings.patch(id, { problem: problemOf('take-held'), nextAttemptAtMs: 9_000_000 })
  return id
}
const problems = () => ids.map((id) => journal.recordings.byId(id)?.problem?.endsBy)

test.each([['/rec/run'], ['/rec/run/1.jpg', '/rec/run/3.jpg']])(
  'a retry of %s releases the held take only once',
  (...paths) => {
    const release = vi.spyOn(journal.inspections, 'release')
    expect(actOnPaths(journal, { action: 'retry', paths })).toMatchObject({ refused: [] })
    expect(ids.map((id) => journal.recordings.byId(id)?.nextAttemptAtMs)).toEqual([0, 0, 0, 0])
    expect(release).toHaveBeenCalledTimes(1)
  },
)

test.each([[['/rec/run']], [[]]])(
  'a dismissal of %j or its undo reads the held take at most once',
  (paths) => {
    const readMembers = vi.spyOn(journal.takes, 'members')
    expect(actOnPaths(journal, { action: 'dismiss', paths })).toMatchObject({ refused: [] })
    expect(problems()).toEqual(['dismissed', 'dismissed', 'dismissed', 'dismissed'])
    expect(readMembers.mock.calls.length).toBeLessThanOrEqual(1)
    readMembers.mockClear()
    actOnPaths(journal, { action: 'undo-dismissal', paths: ['/rec/run'] })
    expect(readMembers.mock.calls.length).toBeLessThanOrEqual(1)
    expect(problems()).toEqual(['person', 'person', 'person', 'person'])
  },
)
