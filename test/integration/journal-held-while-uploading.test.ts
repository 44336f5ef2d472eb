import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { Agent } from '../../main/agent/assembly/agent.ts'
import { readSettings } from '../../main/cli/settings-file.ts'
import { holdJournal } from '../support/hold-journal.ts'
import { writeRandomFile } from '../support/kill-again.ts'
import { seeded } from '../support/seeded.ts'
import { Station, until } from '../support/station.ts'

const RECORDINGS = 12
/** The number of waits of 10 ms. Together they last several times the pause between two steps of a stage. */
const WAITS = 600

let station: Station
let agent: Agent
afterEach(async () => {
  await agent.stop()
  await station.close()
})

test('a locked journal causes no request storm, and uploads continue afterwards', async () => {
  station = await Station.open()
  const random = seeded(23)
  for (let n = 0; n < RECORDINGS; n += 1)
    await writeRandomFile(path.join(station.recordings, `take-${n}.bin`), 400_000 + n, random)
  const logLines: string[] = []
  const log = (message: string) => void logLines.push(message)
  agent = new Agent({
    dataFolder: station.data,
    log: { info: log, warn: log, error: log },
    onDamage: () => log('damaged'),
  })
  agent.start()
  const fileSettings = readSettings(station.settingsFile, {})
  await agent.configure({ ...fileSettings, systemProxy: { kind: 'unknown' } })
  await until('one recording is at the service', () =>
    agent.journal.views.everything().some(({ sessionId }) => sessionId !== null),
  )

  const lock = await holdJournal(station.data)
  const countRequests = async () =>
    Object.values((await station.stats()).routes).reduce((sum, count) => sum + count, 0)
  await until('a write was refused', () => agent.journal.isLocked)
  const requestsBefore = await countRequests()
  for (let n = 0; n < WAITS; n += 1) await sleep(10)
  const sentWhileLocked = (await countRequests()) - requestsBefore
  await lock.release()

  // Running requests finish: a few per recording, not hundreds.
  const retryLines = logLines.filter((line) => line.includes('tries again'))
  expect(retryLines).toEqual([...new Set(retryLines)])
  expect(sentWhileLocked).toBeLessThan(RECORDINGS * 5)
  await until('all recordings are processed', () => agent.journal.views.counts().processed === RECORDINGS)
  expect(logLines.filter((line) => line.includes('bug') || line === 'damaged')).toEqual([])
  await station.expectAllSafe()
})
