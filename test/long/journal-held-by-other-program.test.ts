import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { Agent } from '../../main/agent/assembly/agent.ts'
import { problemOf } from '../../main/agent/domain/problems.ts'
import { openJournal } from '../../main/agent/journal/journal.ts'
import { holdJournal } from '../support/hold-journal.ts'
import { writeRandomFile } from '../support/kill-repeatedly.ts'
import { readSettings } from '../support/read-settings.ts'
import { seeded } from '../support/seeded.ts'
import { Station, until } from '../support/station.ts'

const RECORDINGS = 12
/** Waits of 10 ms. Together they are longer than the five seconds between two steps of a stage. */
const WAITS = 600

let station: Station
let agent: Agent
const logLines: string[] = []
afterEach(async () => {
  logLines.length = 0
  await agent.stop()
  await station.close()
})

const startAgent = () => {
  const log = (message: string) => void logLines.push(message)
  agent = new Agent({
    dataFolder: station.data,
    log: { info: log, warn: log, error: log },
    onDamage: () => log('damaged'),
  })
  agent.start()
}

const configureAgent = () =>
  agent.configure({ ...readSettings(station.settingsFile), systemProxy: { kind: 'unknown' } })

const expectAllSafe = async () => {
  expect(logLines.filter((line) => line.includes('bug') || line === 'damaged')).toEqual([])
  await station.expectAllSafe()
}

test('an agent that starts with a locked journal clears the old conditions after the unlock', async () => {
  station = await Station.open()
  mkdirSync(station.data, { recursive: true })
  const { journal } = openJournal(station.data, Date.now)
  // A killed agent left this condition in the journal.
  journal.station.setConditions([problemOf('service-unreachable')])
  journal.close()
  writeFileSync(path.join(station.recordings, 'take.bin'), 'a night')
  const lock = await holdJournal(station.data)
  startAgent()
  const configuration = configureAgent()
  await until('the agent cannot store its service', () =>
    logLines.some((line) => line.startsWith('the station')),
  )
  await lock.release()
  await configuration
  await until('the recording is processed', () => agent.journal.views.counts().processed === 1)
  const [recording] = agent.journal.views.everything()
  expect(recording?.service).toBe(new URL(station.sandbox.baseUrl).origin)
  expect(agent.journal.station.conditions()).toEqual([])
  await expectAllSafe()
})

test('a locked journal causes no request storm, and uploads continue afterwards', async () => {
  station = await Station.open()
  const random = seeded(23)
  for (let n = 0; n < RECORDINGS; n += 1)
    await writeRandomFile(path.join(station.recordings, `take-${n}.bin`), 400_000 + n, random)
  startAgent()
  await configureAgent()
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

  // While the journal was locked, Sluice sent only a few requests per recording.
  const retryLines = logLines.filter((line) => line.includes('tries again'))
  expect(retryLines).toEqual([...new Set(retryLines)])
  expect(sentWhileLocked).toBeLessThan(RECORDINGS * 5)
  await until('all recordings are processed', () => agent.journal.views.counts().processed === RECORDINGS)
  await expectAllSafe()
})
