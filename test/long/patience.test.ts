import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { writeRandomFile } from '../support/kill-repeatedly.ts'
import { seeded } from '../support/seeded.ts'
import { Station } from '../support/station.ts'

let station: Station
afterEach(() => station.close())

const runWithPatience = async (seconds: string): Promise<number> => {
  const options = ['--settings', station.settingsFile, '--until-idle', '--patience', seconds]
  return (await station.sluice('run', ...options)).code
}

const record = async () => {
  await writeRandomFile(path.join(station.recordings, 'take.bin'), 1_000, seeded(31))
}

test('--patience also limits the wait for the service’s processing', async () => {
  station = await Station.open(['--processing-delay', '86400000'])
  await record()
  expect(await runWithPatience('2')).toBe(2)
  expect((await station.status()).recordings[0]?.state).toBe('processing')
})

test('a run waits for processing that ends within --patience', async () => {
  station = await Station.open(['--processing-delay', '1000'])
  await record()
  expect(await runWithPatience('60')).toBe(0)
})
