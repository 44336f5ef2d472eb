import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { HostedAgent } from '../support/hosted-agent.ts'
import { readJournal } from '../support/journal-file.ts'
import { Station, until } from '../support/station.ts'
import type { Bench } from './figure.ts'

const SETTLE_SECONDS = 1
const GOAL_MS = 250
const MIN_PAUSE_MS = 40
const MAX_PAUSE_MS = 260

const percentile99 = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.99) - 1] ?? Number.NaN

/**
 * Measures the time from the close of a file to `queued`, without the settle time. The pauses between the files differ,
 * so that the files do not arrive in step with the agent's timers.
 */
export const benchClosedToQueued: Bench = async ({ closedFiles, longRounds }) => {
  const station = await Station.open(['--processing-delay', '0', '--rate-limit', '1000000'])
  try {
    station.configure({ folder: { settle_seconds: SETTLE_SECONDS }, rest: { follow: {} } })
    const agent = await HostedAgent.start(station)
    await until('the folder is watched', () => agent.status?.folders[0]?.state === 'watching')
    const ours: number[] = []
    for (let round = 1; round <= longRounds; round += 1) {
      const closedAtMs = new Map<string, number>()
      for (let file = 0; file < closedFiles; file += 1) {
        const name = `take-${round}-${file}.bin`
        writeFileSync(path.join(station.recordings, name), `recording ${round} ${file}`)
        closedAtMs.set(name, Date.now())
        // Spreads the pauses evenly, and equally in every run.
        const fraction = (file * 0.618) % 1
        await sleep(MIN_PAUSE_MS + fraction * (MAX_PAUSE_MS - MIN_PAUSE_MS))
      }
      const fileCount = round * closedFiles
      await until('all files are processed', () => agent.status?.counts.processed === fileCount)
      const rows = readJournal<{ name: string; at: number }>(
        station.data,
        `SELECT name, at FROM timeline JOIN recordings ON recordings.id = recording_id
         WHERE from_state = 'growing' AND to_state = 'queued' AND name LIKE ?`,
        `take-${round}-%`,
      )
      ours.push(
        percentile99(rows.map(({ name, at }) => at - (closedAtMs.get(name) ?? 0) - SETTLE_SECONDS * 1000)),
      )
    }
    await agent.stop()
    const what = `from file closed to queued, without the settle time, 99th percentile of ${closedFiles} files`
    return [{ what, unit: 'ms', ours, reference: null, goal: { kind: 'own', atMost: GOAL_MS } }]
  } finally {
    await station.close()
  }
}
