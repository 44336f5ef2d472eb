import path from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { RecordingList } from '../../../../../main/agent/journal/recording-list.ts'
import { TextSearch, type TextSearchLimits } from '../../../../../main/agent/journal/text-search.ts'
import { calls } from '../../../../../shared/ipc/ipc.ts'
import { linuxPaths } from '../../../../../shared/paths/paths.ts'
import { draftSettingsSchema } from '../../../../../shared/settings/settings.ts'
import { seeded } from '../../../../support/seeded.ts'
import { openTempJournal, type TempJournal } from '../../../../support/temp-journal.ts'

/** These limits treat every journal as large. */
const limits = { maxFullScanRecordings: 0, maxMatches: 1_000, maxUnindexed: 200, minBatch: 1, maxBatch: 50 }
const view = { service: 'https://api.example.com', sending: true }

let temp: TempJournal
let db: Database.Database
const executedSql: string[] = []
beforeEach(() => {
  let nowMs = 1_000_000
  temp = openTempJournal(() => (nowMs += 1_000), linuxPaths)
  executedSql.length = 0
  db = new Database(path.join(temp.folder, 'journal.db'), {
    verbose: (sql) => executedSql.push(String(sql)),
  })
})
afterEach(() => {
  db.close()
  temp.close()
})

const folderOf = (site: string) =>
  draftSettingsSchema.parse({ folders: [{ path: '/rec', site }] }).folders[0]!
const identityOf = (inode: string) => ({ device: '1', inode, sizeBytes: 1, mtimeNs: '1', ctimeNs: '1' })
const addRecording = (file: string, site = 'lab') =>
  temp.journal.recordings.add({ path: file, identity: identityOf(file) }, folderOf(site), {
    findSessionFirst: false,
  })
const searchWith = (change: Partial<TextSearchLimits> = {}) => new TextSearch(db, { ...limits, ...change })
const parseQuery = (args: object) => calls.listRecordings.args.parse(args)
const listWith = (search: TextSearch | null) => new RecordingList(db, linuxPaths, search)
const indexAll = (search: TextSearch) => {
  while (search.addSome());
}

test('the trigram search returns the same as a full scan', () => {
  const random = seeded(14)
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T
  const search = searchWith()
  const names = ['Take', 'take_', 'cam"x', "o'clock", '50%_', 'Süd-Ärger', 'süd', '録音一', 'a\\b', '*NEAR(']
  const recordings = temp.journal.transaction(() =>
    Array.from({ length: 200 }, (_, n) =>
      addRecording(`/rec/${pick(['2026-03/', ''])}${pick(names)}${n}.bin`, pick(['lab', 'Hall 3'])),
    ),
  )
  // Index half of the recordings, then rename one recording in each half.
  for (let n = 0; n < 2; n += 1) search.addSome()
  for (const n of [3, 150])
    temp.journal.recordings.move(
      recordings[n]!,
      { path: `/rec/renamed-${n}.bin`, identity: identityOf(recordings[n]!.path) },
      folderOf('Hall 9'),
    )
  temp.journal.recordings.patch(recordings[7]!.id, { sessionId: 'ses_0123456789' })
  const texts = [
    'take',
    'TAKE_1',
    'm"x',
    "o'c",
    '50%',
    '%_1',
    'üd',
    'süd',
    'Ärger',
    '録音一',
    '音',
    'a\\b',
    '*NEAR(',
  ]
  const otherTexts = [
    '2026-03/T',
    'hall',
    'Hall 9',
    'renamed',
    recordings[3]!.name,
    'ses_0123456789',
    'ses_0',
    'b\nl',
    '7',
    '" OR "',
  ]
  for (const text of [...texts, ...otherTexts])
    for (const filter of [
      {},
      { states: ['queued'] },
      { sort: 'name', descending: false },
      { pinned: true, limit: 7 },
    ]) {
      const query = parseQuery({ text, ...filter })
      const [indexed, scanned] = [listWith(search), listWith(null)].map((list) => {
        const { total, hasMore, rows } = list.page(query, view)
        return { text, total, hasMore, ids: rows.map(({ id }) => id), outline: list.outline(query, view) }
      })
      expect(indexed).toEqual(scanned)
    }
})

test('returns the newest matches, and reports that there are more', () => {
  const search = searchWith({ maxMatches: 5 })
  for (let n = 0; n < 20; n += 1) addRecording(`/rec/take-${n}.bin`)
  indexAll(search)
  const list = listWith(search)
  const page = list.page(parseQuery({ text: 'take', sort: 'name', descending: false }), view)
  expect([page.total, page.hasMore]).toEqual([5, true])
  expect(page.rows.map(({ name }) => name)).toEqual([15, 16, 17, 18, 19].map((n) => `take-${n}.bin`))
  // Counts of only the newest matches would be wrong.
  expect(list.outline(parseQuery({ text: 'take' }), view)).toMatchObject({ standings: null })
  // One or two letters form no trigram, but the search still returns the newest matches.
  expect(list.page(parseQuery({ text: 'ke' }), view)).toMatchObject({ total: 5, hasMore: true })
  // A filter and an action apply to all matches, not only to the newest.
  expect(list.page(parseQuery({ text: 'take', states: ['growing'] }), view)).toMatchObject({
    total: 20,
    hasMore: false,
  })
  expect(list.ids(parseQuery({ text: 'take' }), view)).toHaveLength(20)
})

test('the search does not use an index that lacks too many recordings', () => {
  const search = searchWith({ maxUnindexed: 10, maxMatches: 5 })
  for (let n = 0; n < 20; n += 1) addRecording(`/rec/take-${n}.bin`)
  expect(search.find('take')).toBeNull()
  indexAll(search)
  expect(search.find('take')).toMatchObject({ isAll: false })
})

test('a search without a filter in a large, indexed journal never scans all recordings', () => {
  const search = searchWith({ maxMatches: 5 })
  for (let n = 0; n < 20; n += 1) addRecording(`/rec/take-${n}.bin`)
  indexAll(search)
  executedSql.length = 0
  for (const sort of ['found', 'name', 'bytes'])
    for (const text of ['take', 'take-17', 'nowhere', 'ses_4711']) {
      listWith(search).page(parseQuery({ text, sort, pinned: true }), view)
      listWith(search).outline(parseQuery({ text, sort, pinned: true }), view)
    }
  const plans = [...new Set(executedSql)].map((sql) => ({
    sql,
    steps: db
      .prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map(({ detail }) => detail),
  }))
  expect(plans.length).toBeGreaterThan(10)
  expect(plans.filter(({ steps }) => steps.some((step) => step.startsWith('SCAN recordings')))).toEqual([])
})
