import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { HostedAgent } from '../support/hosted-agent.ts'
import { writeRandomFile } from '../support/kill-repeatedly.ts'
import { seeded } from '../support/seeded.ts'
import { PART, Station, until } from '../support/station.ts'

let station: Station
let hosted: HostedAgent
afterEach(() => station.close())

const random = seeded(12)
const fileOf = (name: string) => path.join(station.recordings, name)
const record = (name: string, bytes = 1000) => writeRandomFile(fileOf(name), bytes, random)

test('a bandwidth limit holds, and removing it takes effect at once', async () => {
  station = await Station.open()
  // At this rate one part takes two minutes and the recording nine minutes, which is longer than the test waits.
  station.configure({ rest: { transfer: { limit_mbit_per_s: 0.5, parallel_parts: 1 } } })
  await record('take.bin', 4 * PART)
  hosted = await HostedAgent.start(station)
  await until('the agent sends bytes', async () =>
    (await hosted.recordings()).some((row) => row.bytesSent > 0),
  )
  // Without the limit, `take.bin` would be done before `later.bin` begins to upload.
  await record('later.bin', 4 * PART)
  await hosted.waitForState('later.bin', 'uploading')
  const limited = (await hosted.recordings()).find((row) => row.name === 'take.bin')
  expect(limited?.state).toBe('uploading')
  expect(limited?.bytesSent).toBeLessThan(PART)

  station.configure()
  hosted.configure()
  await hosted.waitForState('take.bin', 'processed')
  await hosted.waitForState('later.bin', 'processed')
  await station.expectAllSafe()
})

test('a prioritised recording overtakes an upload in progress', async () => {
  station = await Station.open()
  station.configure({
    rest: { transfer: { parallel_recordings: 1, parallel_parts: 1, limit_mbit_per_s: 8 } },
  })
  await record('long.bin', 16 * PART)
  hosted = await HostedAgent.start(station)
  await hosted.waitForState('long.bin', 'uploading')
  await record('urgent.bin')
  const { id } = await until('the urgent recording is known', async () =>
    (await hosted.recordings()).find((row) => row.name === 'urgent.bin'),
  )
  await hosted.call('prioritiseRecordings', { ids: [id] })
  await hosted.waitForState('urgent.bin', 'processed')

  const long = (await hosted.recordings()).find((row) => row.name === 'long.bin')
  expect(long?.state).toBe('uploading')
})

test('a session deleted at the service during the upload is replaced by a new one', async () => {
  station = await Station.open()
  station.configure({ rest: { transfer: { parallel_parts: 1, limit_mbit_per_s: 30 } } })
  await record('take.bin', 3 * PART)
  // Fail the completion, so that the deletion comes first even on a busy PC.
  await station.fault({ route: 'complete', count: 1000, effect: { kind: 'status', status: 503 } })
  const agent = station.agent('--until-idle')
  const line = await agent.waitForChange('a part is sent', ({ bytes_sent }) => bytes_sent > PART)
  expect((await station.sandbox.api(`/v1/sessions/${line.session_id}`, { method: 'DELETE' })).ok).toBe(true)
  await station.sandbox.control('DELETE', '/faults')

  expect(await agent.ended).toBe(0)

  await station.expectAllSafe()
  expect((await station.status()).recordings[0]?.session_id).not.toBe(line.session_id)
})
