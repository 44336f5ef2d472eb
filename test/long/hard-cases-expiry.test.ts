import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { HostedAgent } from '../support/hosted-agent.ts'
import { waitForJournal } from '../support/journal-file.ts'
import { writeRandomFile } from '../support/kill-repeatedly.ts'
import { seeded } from '../support/seeded.ts'
import { PART, Station, until } from '../support/station.ts'

let station: Station
let hosted: HostedAgent
afterEach(() => station.close())

const random = seeded(5)
const DAY_S = 86_400

const record = (name: string, bytes = 1000): Promise<void> =>
  writeRandomFile(path.join(station.recordings, name), bytes, random)

test('hard case 5: after three days of sleep, Sluice fetches fresh URLs and resends no stored part', async () => {
  station = await Station.open()
  await record('take.bin', 2 * PART + 1)
  await station.fault({
    route: 'put_part',
    match: { part: 3 },
    count: 1000,
    effect: { kind: 'latency', ms: 600_000 },
  })
  const agent = station.agent()
  await waitForJournal(
    station.data,
    'two parts are journaled',
    'SELECT 1 FROM parts GROUP BY recording_id HAVING SUM(etag IS NOT NULL) = 2',
  )
  await agent.kill()
  await station.sandbox.control('DELETE', '/faults')
  await station.sandbox.control('POST', '/clock', { offset_s: 3 * DAY_S })
  const { put_part: puts = 0 } = (await station.stats()).routes

  expect(await station.runToIdle()).toBe(0)

  await station.expectAllSafe()
  const { parts, routes } = await station.stats()
  expect(Object.values(parts)).toEqual([{ 1: 1, 2: 1, 3: 1 }])
  expect(routes.create).toBe(1)
  // The agent sent the one missing part once, so it tried no expired URL.
  expect(routes.put_part).toBe(puts + 1)
})

for (const days of [-3, 3])
  test(`hard case 5b: URLs expire by the service's clock, which differs from the PC's by ${days} days`, async () => {
    station = await Station.open()
    await station.sandbox.control('POST', '/clock', { offset_s: days * DAY_S })
    await record('take.bin', 2 * PART + 1)

    expect(await station.runToIdle()).toBe(0)

    await station.expectAllSafe()
    const { routes, parts } = await station.stats()
    expect(Object.values(parts)).toEqual([{ 1: 1, 2: 1, 3: 1 }])
    // The count would include refused requests, so the storage refused none.
    expect(routes.put_part).toBe(3)
  })

test('hard case 5c: Sluice refreshes URLs that expire in the middle of an upload, and the storage gets each part once', async () => {
  station = await Station.open()
  await record('take.bin', 5 * PART)
  const expired = { kind: 'expired_url' }
  await station.fault({ route: 'put_part', after: 2, count: 2, effect: expired })

  expect(await station.runToIdle()).toBe(0)

  await station.expectAllSafe()
  expect(Object.values((await station.stats()).parts)).toEqual([{ 1: 1, 2: 1, 3: 1, 4: 1, 5: 1 }])
})

test('hard case 5d: during an upload, Sluice refreshes URLs before they expire by the clock of the service', async () => {
  station = await Station.open(['--url-lifetime', '3600'])
  const slow = { parallel_recordings: 1, parallel_parts: 1 }
  station.configure({ rest: { transfer: { ...slow, limit_mbit_per_s: 0.5 } } })
  await record('take.bin', 3 * PART)
  hosted = await HostedAgent.start(station)
  await until('the agent sends bytes', async () =>
    (await hosted.recordings()).some((row) => row.bytesSent > 0),
  )

  // By the clock of the service, the URLs expire in half a minute. The agent learns this from an answer about
  // `other.bin`.
  await station.sandbox.control('POST', '/clock', { offset_s: 3_570, frozen: true })
  await record('other.bin')
  await hosted.waitForState('other.bin', 'uploading')
  // The next part starts after the URLs have expired.
  await station.sandbox.control('POST', '/clock', { offset_s: 3_700 })
  expect(await station.partsReceived()).toBe(0)
  station.configure({ rest: { transfer: slow } })
  hosted.configure()
  await hosted.waitForState('take.bin', 'processed')
  await hosted.waitForState('other.bin', 'processed')

  await station.expectAllSafe()
  // Three parts of `take.bin` and one of `other.bin`. The storage refused none: the count would include it.
  expect((await station.stats()).routes.put_part).toBe(4)
})
