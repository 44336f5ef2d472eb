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
/** Each is a turn of the loop; together they are several times as long as a stage waits between two steps. */
const TURNS = 600

let station: Station
let agent: Agent
afterEach(async () => {
  await agent.stop()
  await station.close()
})

test('while another program holds the journal the service is not asked again and again, and all goes on afterwards', async () => {
  station = await Station.open()
  const random = seeded(23)
  for (let n = 0; n < RECORDINGS; n += 1)
    await writeRandomFile(path.join(station.recordings, `take-${n}.bin`), 400_000 + n, random)
  const told: string[] = []
  const note = (message: string) => void told.push(message)
  agent = new Agent({
    dataFolder: station.data,
    log: { info: note, warn: note, error: note },
    onDamage: () => note('damaged'),
  })
  agent.start()
  const own = readSettings(station.settingsFile, {})
  await agent.configure({ ...own, systemProxy: { kind: 'unknown' } })
  await until('one is at the service', () =>
    agent.journal.views.everything().some(({ sessionId }) => sessionId !== null),
  )

  const held = await holdJournal(station.data)
  const requests = async () =>
    Object.values((await station.stats()).routes).reduce((sum, count) => sum + count, 0)
  await until('somebody wanted to write', () => agent.journal.isHeld)
  const before = await requests()
  for (let n = 0; n < TURNS; n += 1) await sleep(10)
  const asked = (await requests()) - before
  await held.release()

  // What was on its way was answered: a few for each recording, not hundreds.
  const again = told.filter((line) => line.includes('tries again'))
  expect(again).toEqual([...new Set(again)])
  expect(asked).toBeLessThan(RECORDINGS * 5)
  await until('all are processed', () => agent.journal.views.counts().processed === RECORDINGS)
  expect(told.filter((line) => line.includes('bug') || line === 'damaged')).toEqual([])
  await station.expectAllSafe()
})
