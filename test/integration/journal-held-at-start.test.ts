import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { Agent } from '../../main/agent/assembly/agent.ts'
import { problemOf } from '../../main/agent/domain/problems.ts'
import { openJournal } from '../../main/agent/journal/journal.ts'
import { readSettings } from '../../main/cli/settings-file.ts'
import { holdJournal } from '../support/hold-journal.ts'
import { Station, until } from '../support/station.ts'

let station: Station
let agent: Agent
afterEach(async () => {
  await agent.stop()
  await station.close()
})

test('an agent that starts with a locked journal writes the service and the conditions after the unlock', async () => {
  station = await Station.open()
  mkdirSync(station.data, { recursive: true })
  const { journal } = openJournal(station.data, Date.now)
  // The state that a kill leaves.
  journal.station.setConditions([problemOf('service-unreachable')])
  journal.close()
  writeFileSync(path.join(station.recordings, 'take.bin'), 'a night')
  const lock = await holdJournal(station.data)
  const logLines: string[] = []
  const log = (message: string) => void logLines.push(message)
  agent = new Agent({
    dataFolder: station.data,
    log: { info: log, warn: log, error: log },
    onDamage: () => log('damaged'),
  })
  agent.start()
  const fileSettings = readSettings(station.settingsFile, {})
  const configuration = agent.configure({ ...fileSettings, systemProxy: { kind: 'unknown' } })
  await until('the lock refuses the connection record', () =>
    logLines.some((line) => line.startsWith('the station')),
  )
  await lock.release()
  await configuration
  await until('the recording is processed', () => agent.journal.views.counts().processed === 1)
  const [recording] = agent.journal.views.everything()
  expect(recording?.service).toBe(new URL(fileSettings.settings?.service.base_url ?? '').origin)
  expect(agent.journal.station.conditions()).toEqual([])
  expect(logLines.filter((line) => line.includes('bug') || line === 'damaged')).toEqual([])
  await station.expectAllSafe()
})
