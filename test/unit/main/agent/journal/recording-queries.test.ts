import path from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { problemOf } from '../../../../../main/agent/domain/problems.ts'
import { RecordingQueries } from '../../../../../main/agent/journal/recording-queries.ts'
import { RemovalStore } from '../../../../../main/agent/journal/removal-store.ts'
import { linuxPaths } from '../../../../../shared/paths/paths.ts'
import { draftSettingsSchema } from '../../../../../shared/settings/settings.ts'
import { openTempJournal, type TempJournal } from '../../../../support/temp-journal.ts'

const folder = draftSettingsSchema.parse({ folders: [{ path: '/rec', site: 'lab' }] }).folders[0]!

let temp: TempJournal
let nowMs: number
let db: Database.Database
const executedSql: string[] = []
beforeEach(() => {
  nowMs = 1_000_000
  temp = openTempJournal(() => nowMs, linuxPaths)
  executedSql.length = 0
  db = new Database(path.join(temp.folder, 'journal.db'), {
    verbose: (sql) => executedSql.push(String(sql)),
  })
})
afterEach(() => {
  db.close()
  temp.close()
})

test('a search by content does not read all recordings of the same size or state', () => {
  const identity = { device: '1', inode: '1', sizeBytes: 1, mtimeNs: '1', ctimeNs: '1' }
  const added = temp.journal.recordings.add({ path: '/rec/a.bin', identity }, folder, {
    findSessionFirst: false,
  })
  const recording = { ...added, sha256: 'a'.repeat(64) }
  const queries = new RecordingQueries(db, linuxPaths)
  queries.sameContent(recording, 'https://api.example.com')
  queries.vanishedWith(recording)
  const searches = executedSql
    .map((sql) => db.prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all())
    .map(([firstStep]) => firstStep?.detail)
  const byContent = 'SEARCH recordings USING INDEX recordings_by_content (sha256=?)'
  expect(searches).toEqual([byContent, byContent])
})

test('the search for sessions of a site reaches back to the oldest file of that site', () => {
  const add = (name: string, site: string, mtimeMs: number) =>
    temp.journal.recordings.add(
      {
        path: `/rec/${name}`,
        identity: { device: '1', inode: name, sizeBytes: 1, mtimeNs: `${mtimeMs}000000`, ctimeNs: '1' },
      },
      { ...folder, site },
      { findSessionFirst: true },
    )
  add('a.bin', 'lab', 5_000)
  add('b.bin', 'lab', 7_000)
  add('c.bin', 'hall', 1_000)
  const { recordings } = temp.journal
  expect(['lab', 'hall', 'none'].map((site) => recordings.oldestSearchedMs(site))).toEqual([
    5_000,
    1_000,
    null,
  ])
})

test('finds the reasons why files stay on this PC without reading all processed recordings', () => {
  const { recordings, activity } = temp.journal
  const removals = new RemovalStore(db, () => 1_000_000, { recordings, activity }, linuxPaths)
  executedSql.length = 0
  expect(removals.staying()).toEqual([])
  const [sql] = executedSql
  const steps = db.prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all()
  expect(steps[0]?.detail).toBe('SCAN removals')
})

test('a dismissed recording does not count as the oldest waiting one', () => {
  const { recordings, views } = temp.journal
  const addQueued = (inode: string, foundAtMs: number) => {
    nowMs = foundAtMs
    const identity = { device: '1', inode, sizeBytes: 1, mtimeNs: '1', ctimeNs: '1' }
    const { id } = recordings.add({ path: `/rec/${inode}`, identity }, folder, { findSessionFirst: false })
    recordings.transition(id, 'growing', { kind: 'settled' }, { reason: 'finished' })
    return id
  }
  const dismissedId = addQueued('a.bin', 1_000_000)
  const waitingId = addQueued('b.bin', 2_000_000)
  const problem = problemOf('file-unreadable')
  for (const id of [dismissedId, waitingId]) recordings.patch(id, { problem })
  expect(views.oldestFoundAtMs(['queued'])).toBe(1_000_000)
  recordings.patch(dismissedId, { problem: { ...problem, endsBy: 'dismissed' } })
  expect(views.oldestFoundAtMs(['queued'])).toBe(2_000_000)
  recordings.patch(waitingId, { problem: { ...problem, endsBy: 'dismissed' } })
  expect(views.oldestFoundAtMs(['queued'])).toBeNull()
})
