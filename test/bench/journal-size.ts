import { Progress } from '../../main/agent/status/progress.ts'
import { takeSnapshot } from '../../main/agent/status/snapshot.ts'
import { systemClock } from '../../shared/clock/clock.ts'
import { calls } from '../../shared/ipc/ipc.ts'
import { settingsSchema } from '../../shared/settings/settings.ts'
import { calmSources, quietOutlook } from '../support/calm-snapshot.ts'
import { copyRecording } from '../support/journal-file.ts'
import { openTempJournal } from '../support/temp-journal.ts'
import type { Bench, Figure } from './figure.ts'

/** Measures the processor time of the agent's journal queries, with 1,000 recordings and with a million. */

const FEW_ROWS = 1_000
const RUNS = 15
const SERVICE = 'https://api.example.com'

const settings = settingsSchema.parse({
  service: { base_url: SERVICE },
  folders: [{ path: '/rec', site: 'Hall 3' }],
})

const processorMs = (work: () => unknown): number[] => {
  work()
  return Array.from({ length: RUNS }, () => {
    const before = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  })
}

/**
 * Returns the processor times of each query. Of twenty recordings in the journal, nineteen are processed. One is ready
 * to upload or in processing.
 */
const queryProcessorMs = (rows: number): ReadonlyMap<string, number[]> => {
  const { journal, folder: data, close } = openTempJournal(Date.now)
  const [folder] = settings.folders
  const add = (name: string) => {
    const identity = { device: '1', inode: name, sizeBytes: 1_000, mtimeNs: '1', ctimeNs: '1' }
    return journal.recordings.add({ path: `/rec/${name}`, identity }, folder!, { findSessionFirst: false })
  }
  try {
    journal.station.setService(SERVICE)
    const { id } = add('take')
    const inState = (state: string, share: number, other: Readonly<Record<string, string>> = {}) =>
      copyRecording(
        data,
        rows * share,
        {
          ...other,
          state: `'${state}'`,
          path: `'/rec/${state}/' || counter.n || '.mcap'`,
          path_key: `'/rec/${state}/' || counter.n || '.mcap'`,
          name: `counter.n || '.mcap'`,
          sha256: `'${state}' || counter.n`,
        },
        id,
      )
    inState('processed', 0.95, { service: `'${SERVICE}'`, session_id: `'ses_' || counter.n` })
    inState('ready', 0.02)
    inState('processing', 0.03, {
      session_id: `'ses_p' || counter.n`,
      next_attempt_at: `${Date.now() + 3_600_000}`,
    })
    const view = { service: SERVICE, sending: true }
    const progress = new Progress(systemClock)
    const page = (query: object) => {
      const checked = calls.listRecordings.args.parse(query)
      return () => journal.list.page(checked, view)
    }
    const window = (query: object) => {
      const checked = calls.listRecordings.args.parse({ ...query, pinned: true })
      return () => [journal.list.page(checked, view), journal.list.outline(checked, view)]
    }
    while (journal.textSearch.addSome());
    return new Map([
      ['next recordings to upload', processorMs(() => journal.work.due('ready', Date.now(), 8))],
      ['next recordings to poll', processorMs(() => journal.work.due('processing', Date.now(), 500))],
      ['time of the next poll', processorMs(() => journal.work.nextCheckMs('processing', Date.now(), 5_000))],
      [
        'status',
        processorMs(() =>
          takeSnapshot({
            journal,
            progress,
            settings,
            view,
            ...calmSources,
            outlook: quietOutlook(journal),
            nowMs: Date.now(),
          }),
        ),
      ],
      ['page, newest first', processorMs(page({}))],
      ['page of waiting recordings', processorMs(page({ standings: ['waiting'] }))],
      ['page and counts for the window', processorMs(window({}))],
      ['search for one recording', processorMs(window({ text: `${Math.round(rows / 2)}.mcap` }))],
      ['search that matches all', processorMs(window({ text: 'mcap' }))],
      ['search that matches none', processorMs(window({ text: 'nowhere' }))],
      ['search for two letters', processorMs(window({ text: 'mc' }))],
      ['search for a session', processorMs(window({ text: 'ses_4711' }))],
    ])
  } finally {
    close()
  }
}

export const benchJournalSize: Bench = async ({ journalRows }) => {
  const few = queryProcessorMs(FEW_ROWS)
  const many = queryProcessorMs(journalRows)
  return [...many].flatMap(([name, ours]): Figure[] => {
    const what = `${journalRows.toLocaleString('en')} recordings: ${name}`
    const reference = { name: 'with 1,000 recordings', values: few.get(name) ?? [] }
    return [
      { what, unit: 'ms', ours, reference, goal: { kind: 'times-the-reference', atMost: 3 } },
      { what, unit: 'ms', ours, reference: null, goal: { kind: 'own', atMost: 20 } },
    ]
  })
}
