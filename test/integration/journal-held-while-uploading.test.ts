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
/** Turns of 10 ms. Together they last several times the pause between two steps of a stage. */
const TURNS = 600

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
  const logged: string[] = []
  const log = (message: string) => void logged.push(message)
  agent = new Agent({
    dataFolder: station.data,
    log: { info: log, warn: log, error: log },
    onDamage: () => log('damaged'),
  })
  agent.start()
  const own = readSettings(station.settingsFile, {})
  await agent.configure({ ...own, systemProxy: { kind: 'unknown' } })
  await until('one recording is at the service', () =>
    agent.journal.views.everything().some(({ sessionId }) => sessionId !== null),
  )

  const held = await holdJournal(station.data)
  const requests = async () =>
    Object.values((await station.stats()).routes).reduce((sum, count) => sum + count, 0)
  await until('a write was refused', () => agent.journal.isLocked)
  const before = await requests()
  for (let n = 0; n < TURNS; n += 1) await sleep(10)
  const sentWhileLocked = (await requests()) - before
  await held.release()

  // Running requests finish: a few per recording, not hundreds.
  const again = logged.filter((line) => line.includes('tries again'))
  expect(again).toEqual([...new Set(again)])
  expect(sentWhileLocked).toBeLessThan(RECORDINGS * 5)
  await until('all recordings are processed', () => agent.journal.views.counts().processed === RECORDINGS)
  expect(logged.filter((line) => line.includes('bug') || line === 'damaged')).toEqual([])
  await station.expectAllSafe()
})
