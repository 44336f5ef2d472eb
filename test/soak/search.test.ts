import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Journal } from '../../main/agent/journal/journal.ts'
import { calls } from '../../shared/ipc/ipc.ts'
import { draftSettingsSchema } from '../../shared/settings/settings.ts'
import { openTempJournal, type TempJournal } from '../support/temp-journal.ts'

const ROWS = 100_000
const RUNS = 9
const view = { service: 'https://api.example.com', sending: true }

let tempJournal: TempJournal
let journal: Journal
beforeEach(() => {
  tempJournal = openTempJournal(Date.now)
  journal = tempJournal.journal
})
afterEach(() => tempJournal.close())

/** Fills the journal with rows that are as long as the rows of uploaded recordings. */
const fillJournal = () => {
  const [folder] = draftSettingsSchema.parse({ folders: [{ path: '/recordings', site: 'Hall 3' }] }).folders
  for (let first = 0; first < ROWS; first += 1000)
    journal.transaction(() => {
      for (let n = first; n < first + 1000; n += 1) {
        const file = `/recordings/2026-03/session_${String(n).padStart(6, '0')}_cam${n % 4}.mcap`
        const identity = { device: '1', inode: `${n}`, sizeBytes: n, mtimeNs: `${n}`, ctimeNs: `${n}` }
        const { id } = journal.recordings.add({ path: file, identity }, folder!, { findSessionFirst: false })
        journal.recordings.patch(id, { sessionId: `ses_${n}`, createBody: 'a body'.repeat(150) })
      }
    })
}

/** The median of several runs. Unlike wall time, processor time does not depend on what else runs on this PC. */
const processorMs = (work: () => void): number => {
  const runs = Array.from({ length: RUNS }, () => {
    const before = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  })
  return Math.round(runs.sort((a, b) => a - b)[Math.floor(RUNS / 2)] ?? 0)
}

test('prints the processor time of searches in 100,000 recordings', () => {
  fillJournal()
  const queries = [
    ['no search', {}, ROWS],
    ['matches all', { text: 'session' }, ROWS],
    ['matches a quarter', { text: 'cam2' }, ROWS / 4],
    ['matches one', { text: 'session_099123' }, 1],
    ['matches none', { text: 'nowhere' }, 0],
    ['a session ID', { text: 'ses_4711' }, 1],
    ['matches a quarter, sorted by name', { text: 'cam2', sort: 'name' }, ROWS / 4],
    ['matches a quarter, in one state', { text: 'cam2', states: ['growing'] }, ROWS / 4],
    ['matches a quarter, last page', { text: 'cam2', offset: ROWS / 4 - 50 }, ROWS / 4],
  ] as const
  const times = queries.map(([name, query, total]) => {
    const args = calls.listRecordings.args.parse(query)
    expect(journal.list.page(args, view).total).toBe(total)
    return [name, `${processorMs(() => journal.list.page(args, view))} ms`]
  })
  console.log(JSON.stringify(Object.fromEntries(times)))
})
