import { rmSync } from 'node:fs'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { Agent } from '../../main/agent/assembly/agent.ts'
import { writeRandomFile } from '../support/kill-repeatedly.ts'
import { PowerSupplies } from '../support/power-supplies.ts'
import { readSettings } from '../support/read-settings.ts'
import { seeded } from '../support/seeded.ts'
import { PART, Station, until } from '../support/station.ts'

const supplies = new PowerSupplies()
let station: Station
let agent: Agent
afterEach(async () => {
  await agent.stop()
  await station.close()
  rmSync(supplies.folder, { recursive: true })
})

test('on battery, uploads pause and the status shows why; they continue when power is back', async () => {
  supplies.unplug()
  station = await Station.open()
  await writeRandomFile(path.join(station.recordings, 'take.bin'), 2 * PART, seeded(7))
  const ignore = () => {}
  agent = new Agent({
    dataFolder: station.data,
    log: { info: ignore, warn: ignore, error: ignore },
    onDamage: ignore,
    powerSuppliesFolder: supplies.folder,
  })
  agent.start()
  const fileSettings = readSettings(station.settingsFile)
  const transfer = { ...fileSettings.settings.transfer, pause_on_battery: true }
  await agent.configure({
    ...fileSettings,
    settings: { ...fileSettings.settings, transfer },
    systemProxy: { kind: 'unknown' },
  })
  await until('the recording is ready', () => agent.journal.views.counts().ready === 1)
  await until('the station is on battery', () => agent.station.code('power') === 'on-battery')
  expect(agent.status().station).toMatchObject({ state: 'paused', problem: { code: 'on-battery' } })
  expect(agent.status().station.headline).toBe('Paused on battery')
  expect((await station.stats()).routes.put_part ?? 0).toBe(0)

  supplies.plugIn()
  await until('the recording is processed', () => agent.journal.views.counts().processed === 1)
  expect(agent.status().station.problem).toBeNull()
  await station.expectAllSafe()
})
