import { expect, test } from 'vitest'
import { problemOf } from '../../main/agent/domain/problems.ts'
import { Progress } from '../../main/agent/status/progress.ts'
import { takeSnapshot } from '../../main/agent/status/snapshot.ts'
import { systemClock } from '../../shared/clock/clock.ts'
import { settingsSchema } from '../../shared/settings/settings.ts'
import { totalOf } from '../../shared/status/night-parts.ts'
import { calmSources, quietOutlook } from '../support/calm-snapshot.ts'
import { copyRecording } from '../support/journal-file.ts'
import { openTempJournal } from '../support/temp-journal.ts'

const ROWS = 100_000
const RUNS = 15
const SERVICE = 'https://api.example.com'

test('prints the processor time of a snapshot of 100,000 recordings, 10,000 of which need attention', () => {
  const { journal, folder: data, close } = openTempJournal(Date.now)
  const settings = settingsSchema.parse({
    service: { base_url: SERVICE },
    folders: [{ path: '/rec', site: 'Hall 3' }],
  })
  const [folder] = settings.folders
  const add = (name: string) => {
    const identity = { device: '1', inode: name, sizeBytes: 1_000, mtimeNs: '1', ctimeNs: '1' }
    return journal.recordings.add({ path: `/rec/${name}`, identity }, folder!, { findSessionFirst: false })
  }
  journal.station.setService(SERVICE)
  const heldRecording = add('held')
  journal.recordings.hold(heldRecording, { attempts: 1, untilMs: 0, problem: problemOf('site-refused') })
  const processedRecording = add('other')
  copyRecording(data, ROWS / 10, {}, heldRecording.id)
  const processedColumns = {
    state: `'processed'`,
    service: `'${SERVICE}'`,
    session_id: `'ses_' || counter.n`,
  }
  copyRecording(data, (ROWS / 10) * 9, processedColumns, processedRecording.id)

  const take = () =>
    takeSnapshot({
      journal,
      progress: new Progress(systemClock),
      settings,
      view: { service: SERVICE, sending: true },
      ...calmSources,
      outlook: quietOutlook(journal),
      nowMs: Date.now(),
    })
  const { standings, needAttention } = take()
  expect([totalOf(standings), needAttention]).toEqual([ROWS, ROWS / 10])
  // Unlike wall time, processor time does not depend on what else runs on this PC.
  const processorMs = Array.from({ length: RUNS }, () => {
    const before = process.cpuUsage()
    take()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  }).sort((a, b) => a - b)
  console.log(JSON.stringify({ snapshot: `${processorMs[Math.floor(RUNS / 2)]?.toFixed(1)} ms` }))
  close()
})
