import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { readJournal } from '../support/journal-file.ts'
import { MIB, Station, until } from '../support/station.ts'

let station: Station
afterEach(() => station.close())

test('30,000 small files dropped at once: all queued exactly once, in less than 280 MB of memory', async () => {
  station = await Station.open()
  // Only noticing and settling are asked about here: nobody answers at the service's address.
  await station.sandbox.stop('SIGKILL')
  const agent = station.agentWith({ env: { SLUICE_MEASURE: '1' } })
  await until('the agent watches', async () => (await station.command('status', '--json')).code === 0)
  for (let folder = 0; folder < 30; folder += 1) {
    mkdirSync(path.join(station.recordings, `${folder}`))
    for (let n = 0; n < 1000; n += 1)
      writeFileSync(path.join(station.recordings, `${folder}`, `${n}.bin`), `${folder}/${n}`)
  }

  const queued = () =>
    readJournal<{ n: number }>(
      station.data,
      "SELECT COUNT(*) AS n FROM timeline WHERE to_state = 'queued'",
    )[0]?.n
  await until('all are queued', () => (queued() ?? 0) >= 30_000, 1_200_000)
  await agent.kill('SIGTERM')

  expect(
    readJournal(station.data, 'SELECT COUNT(*) AS n, COUNT(DISTINCT path) AS paths FROM recordings'),
  ).toEqual([{ n: 30_000, paths: 30_000 }])
  const twice = readJournal(
    station.data,
    "SELECT recording_id FROM timeline WHERE to_state = 'queued' AND from_state = 'growing' GROUP BY recording_id HAVING COUNT(*) <> 1",
  )
  expect(twice).toEqual([])
  const measured = agent.stderr.split('\n').find((line) => line.startsWith('{')) ?? '{}'
  console.log(measured)
  expect(JSON.parse(measured).peakRssBytes).toBeLessThan(280 * MIB)
})
