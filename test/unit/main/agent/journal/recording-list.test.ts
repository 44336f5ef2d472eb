import path from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Journal, Recording } from '../../../../../main/agent/journal/journal.ts'
import { RecordingList } from '../../../../../main/agent/journal/recording-list.ts'
import { calls } from '../../../../../shared/ipc/ipc.ts'
import { linuxPaths } from '../../../../../shared/paths/paths.ts'
import { draftSettingsSchema } from '../../../../../shared/settings/settings.ts'
import { seeded } from '../../../../support/seeded.ts'
import { openTempJournal, type TempJournal } from '../../../../support/temp-journal.ts'

let temp: TempJournal
let journal: Journal
let nowMs: number
beforeEach(() => {
  nowMs = 1_000_000
  temp = openTempJournal(() => nowMs)
  journal = temp.journal
})
afterEach(() => temp.close())

let files = 0
const identity = (sizeBytes = 1) => ({
  device: '1',
  inode: String(files++),
  sizeBytes,
  mtimeNs: '1',
  ctimeNs: '1',
})
const settingsOf = (site: string, at: string) =>
  draftSettingsSchema.parse({ folders: [{ path: at, site }] }).folders[0]!
const addRecording = (file: string, { site = 'lab', at = '/rec', sizeBytes = 1 } = {}): Recording =>
  journal.recordings.add({ path: file, identity: identity(sizeBytes) }, settingsOf(site, at), {
    findSessionFirst: false,
  })

const view = { service: 'https://api.example.com', sending: true }
type ListArgs = Readonly<Record<string, unknown>>
const queryOf = (args: ListArgs) => calls.listRecordings.args.parse(args)
const list = (args: ListArgs) => {
  const { total, rows } = journal.list.page(queryOf(args), view)
  return { total, names: rows.map((row) => row.name) }
}
const searchNames = (text: string) => list({ text, sort: 'name', descending: false }).names

describe('a search finds the typed text', () => {
  test.each([
    ['50%', ['50%_done.bin']],
    ['%', ['50%_done.bin']],
    ['_', ['50%_done.bin', 'take_1.bin']],
    ['e_1', ['take_1.bin']],
    ["o'c", ["o'clock.bin"]],
    ['"q', ['a "quote".bin']],
    ['\\', ['back\\slash.bin']],
    ['k\\s', ['back\\slash.bin']],
    ['*', []],
    ['take*', []],
    ["' OR 1=1 --", []],
    ['NEAR(', []],
  ])('literally, including pattern characters: %s', (text, names) => {
    for (const name of [
      '50%_done.bin',
      '500 done.bin',
      'take_1.bin',
      'take-1.bin',
      "o'clock.bin",
      'a "quote".bin',
      'back\\slash.bin',
    ])
      addRecording(`/rec/${name}`)
    // On Windows, a backslash separates folders, so the name is only `slash.bin`. The search still finds the path.
    expect(searchNames(text)).toEqual(names.map((name) => path.basename(name)))
  })

  test('of any length, ignoring case', () => {
    addRecording('/rec/Take7.BIN')
    addRecording('/rec/other.bin')
    for (const text of ['7', 'T', 'ta', 'KE7', 'take7.bin']) expect(searchNames(text)).toContain('Take7.BIN')
    expect(searchNames('7')).toEqual(['Take7.BIN'])
    expect(searchNames('ke7')).toEqual(['Take7.BIN'])
  })

  test('with letters beyond A to Z, if their case is the same', () => {
    addRecording('/rec/Süd-Ärger.bin')
    addRecording('/rec/録音一.bin')
    addRecording('/rec/plain.bin')
    expect(searchNames('süd')).toEqual(['Süd-Ärger.bin'])
    expect(searchNames('Är')).toEqual(['Süd-Ärger.bin'])
    expect(searchNames('録音')).toEqual(['録音一.bin'])
    expect(searchNames('音')).toEqual(['録音一.bin'])
  })

  test('in the folder path and in the site, but not across both', () => {
    addRecording('/rec/2026-03/a.bin', { site: 'Hall 3' })
    addRecording('/rec/2026-04/b.bin', { site: 'lab' })
    expect(searchNames('2026-03')).toEqual(['a.bin'])
    expect(searchNames('hall')).toEqual(['a.bin'])
    expect(searchNames('a.binHall')).toEqual([])
    expect(searchNames('c/a')).toEqual([])
    expect(searchNames('/rec/')).toEqual(['a.bin', 'b.bin'])
  })

  test('as a complete session ID, but not as a part of one', () => {
    const { id } = addRecording('/rec/a.bin')
    addRecording('/rec/b.bin')
    journal.recordings.patch(id, { sessionId: 'ses_0123456789' })
    expect(searchNames('ses_0123456789')).toEqual(['a.bin'])
    expect(searchNames('ses_0')).toEqual([])
  })

  test('in the current name of the file', () => {
    const recording = addRecording('/rec/before.bin')
    journal.recordings.move(
      recording,
      { path: '/rec2/after.bin', identity: identity() },
      settingsOf('Hall 3', '/rec2'),
    )
    expect(searchNames('before')).toEqual([])
    expect(searchNames('rec2/after')).toEqual(['after.bin'])
    expect(searchNames('hall 3')).toEqual(['after.bin'])
  })
})

test('every search, filter, order and page returns the same as a plain filter over all recordings', () => {
  const random = seeded(6)
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T
  for (let n = 0; n < 300; n += 1) {
    nowMs += pick([0, 1000])
    const at = pick(['/rec', '/other'])
    const { id } = addRecording(`${at}/${pick(['Take', 'take', 'cam'])}_${n}.bin`, {
      site: pick(['lab', 'Hall 3']),
      at,
      sizeBytes: pick([1, 2, 3]),
    })
    if (random() < 0.5)
      journal.recordings.transition(id, 'growing', { kind: 'settled' }, { reason: 'unchanged for 10 s' })
  }
  const all = journal.views.everything()
  const order = {
    found: (row: Recording) => row.foundAtMs,
    changed: (row: Recording) => row.changedAtMs,
    bytes: (row: Recording) => row.identity.sizeBytes,
    state: (row: Recording) => row.state,
    name: (row: Recording) => row.name.toLowerCase(),
  }
  for (let n = 0; n < 400; n += 1) {
    const query = queryOf({
      text: pick(['', 'take', 'TAKE_1', 'a', '_12', 'hall', 'rec/cam', 'nowhere']),
      states: pick([[], ['queued'], ['queued', 'growing'], ['failed']]),
      ...pick([{}, { folder: '/rec' }, { folder: '/nowhere' }]),
      ...pick([{}, { from: new Date(1_050_000).toISOString(), to: new Date(1_100_000).toISOString() }]),
      sort: pick(['found', 'name', 'state', 'bytes', 'changed']),
      descending: pick([true, false]),
      offset: pick([0, 0, 3, 50, 1000]),
      limit: pick([1, 10, 500]),
    })
    const key = order[query.sort]
    const matching = all
      .filter((row) => `${row.path}\n${row.site}`.toLowerCase().includes(query.text.toLowerCase()))
      .filter((row) => query.states.length === 0 || query.states.includes(row.state))
      .filter((row) => query.folder === undefined || row.folder === query.folder)
      .filter((row) => query.from === undefined || row.foundAtMs >= Date.parse(query.from))
      .filter((row) => query.to === undefined || row.foundAtMs < Date.parse(query.to))
      .sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : a.id - b.id))
    if (query.descending) matching.reverse()
    const { total, rows } = journal.list.page(query, view)
    expect({ query, total, ids: rows.map((row) => row.id) }).toEqual({
      query,
      total: matching.length,
      ids: matching.slice(query.offset, query.offset + query.limit).map((row) => row.id),
    })
  }
})

test('with any filter and order, a search reads complete rows only for the returned page', () => {
  for (let n = 0; n < 10; n += 1) addRecording(`/rec/take-${n}.bin`)
  const executedSql: string[] = []
  const db = new Database(path.join(temp.folder, 'journal.db'), {
    verbose: (sql) => executedSql.push(String(sql)),
  })
  const planOf = (sql: string) =>
    db
      .prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map(({ detail }) => detail)
  try {
    for (const sort of ['found', 'name', 'state', 'bytes', 'changed'])
      for (const filter of [{}, { states: ['queued'] }, { folder: '/rec' }, { standings: ['waiting'] }]) {
        new RecordingList(db, linuxPaths).page(queryOf({ text: 'take', sort, ...filter, limit: 1 }), view)
        for (const sql of executedSql.splice(0)) {
          const plan = planOf(sql)
          expect(plan).toContain('SCAN recordings USING COVERING INDEX recordings_by_text')
          const fullRowSteps = plan.filter((step) =>
            /^(SCAN|SEARCH) recordings(?! USING COVERING INDEX)/.test(step),
          )
          const forPage = sql.startsWith('SELECT *')
          expect(fullRowSteps).toEqual(
            forPage ? ['SEARCH recordings USING INTEGER PRIMARY KEY (rowid=?)'] : [],
          )
        }
        executedSql.length = 0
      }
  } finally {
    db.close()
  }
})
