import { renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'vitest'
import { testFault } from '../../support/faults/test-fault.ts'
import { linux } from '../../support/needs.ts'
import { until } from '../../support/station.ts'

testFault('unicode-twins', [linux], async ({ station }) => {
  const faultStation = await station()
  const names = ['Prüfung.bin'.normalize('NFC'), 'Prüfung.bin'.normalize('NFD')]
  expect(new Set(names).size).toBe(2)
  for (const name of names) await faultStation.record(name)
  faultStation.run()
  await faultStation.waitForState('processed', 2)
  expect(await faultStation.station.sessions()).toHaveLength(2)
  return {}
})

testFault('invalid-name', [linux], async ({ station }) => {
  const faultStation = await station()
  const folder = Buffer.from(`${faultStation.station.recordings}${path.sep}`)
  const invalid = Buffer.concat([folder, Buffer.from([0x74, 0xff, 0xfe]), Buffer.from('.bin')])
  writeFileSync(invalid, 'the name of this file is not valid UTF-8')
  await faultStation.record('good.bin')
  const agent = await faultStation.host()
  await faultStation.waitForState('processed')
  await until(
    'the folder reports the name',
    () => agent.status?.folders[0]?.problem?.code === 'file-name-not-text',
  )
  renameSync(invalid, faultStation.file('renamed.bin'))
  await faultStation.waitForState('processed', 2)
  return {}
})
