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

test('a start while another program holds the journal: it is known afterwards which service has what, and what is wrong', async () => {
  station = await Station.open()
  mkdirSync(station.data, { recursive: true })
  const { journal } = openJournal(station.data, Date.now)
  // As a kill leaves it.
  journal.station.setConditions([problemOf('service-unreachable')])
  journal.close()
  writeFileSync(path.join(station.recordings, 'take.bin'), 'a night')
  const held = await holdJournal(station.data)
  const told: string[] = []
  const note = (message: string) => void told.push(message)
  agent = new Agent({
    dataFolder: station.data,
    log: { info: note, warn: note, error: note },
    onDamage: () => note('damaged'),
  })
  agent.start()
  const own = readSettings(station.settingsFile, {})
  const configured = agent.configure({ ...own, systemProxy: { kind: 'unknown' } })
  await until('the service is met', () => told.some((line) => line.startsWith('the station')))
  await held.release()
  await configured
  await until('it is processed', () => agent.journal.views.counts().processed === 1)
  const [recording] = agent.journal.views.everything()
  expect(recording?.service).toBe(new URL(own.settings?.service.base_url ?? '').origin)
  expect(agent.journal.station.conditions()).toEqual([])
  expect(told.filter((line) => line.includes('bug') || line === 'damaged')).toEqual([])
  await station.expectAllSafe()
})
