import { copyFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { HostedAgent } from '../support/hosted-agent.ts'
import { reasonsOf } from '../support/journal-file.ts'
import { writeRandomFile } from '../support/kill-again.ts'
import { seeded } from '../support/seeded.ts'
import { PART, Station, until } from '../support/station.ts'

let station: Station
let hosted: HostedAgent
afterEach(() => station.close())

const random = seeded(12)
const here = (name: string) => path.join(station.recordings, name)
const record = (name: string, bytes = 1000) => writeRandomFile(here(name), bytes, random)

test('a bandwidth limit holds, and removing it takes effect at once', async () => {
  station = await Station.open()
  // At this rate one part takes two minutes, and the recording nine: longer than this test waits for it.
  station.configure({ rest: { transfer: { limit_mbit_per_s: 0.5, parallel_parts: 1 } } })
  await record('take.bin', 4 * PART)
  hosted = await HostedAgent.start(station)
  await until('bytes move', async () => (await hosted.recordings()).some((row) => row.bytesSent > 0))
  // A recording of the same size passes all stages meanwhile: without the limit this one would be done, too.
  await record('later.bin', 4 * PART)
  await hosted.reaches('later.bin', 'uploading')
  const held = (await hosted.recordings()).find((row) => row.name === 'take.bin')
  expect(held?.state).toBe('uploading')
  expect(held?.bytesSent).toBeLessThan(PART)

  station.configure()
  hosted.configure()
  await hosted.reaches('take.bin', 'processed')
  await hosted.reaches('later.bin', 'processed')
  await station.expectAllSafe()
})

test('uploads start when an upload window opens and stop when it closes', async () => {
  station = await Station.open()
  const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
  const closed = { windows: [{ days: [days[(new Date().getDay() + 3) % 7]], from: '00:00', to: '24:00' }] }
  station.configure({ rest: { transfer: closed } })
  await record('take.bin', 2 * PART)
  hosted = await HostedAgent.start(station)
  await hosted.reaches('take.bin', 'ready')
  await until('the upload window is shown', () =>
    hosted.status?.station.headline.startsWith('Upload hours start'),
  )
  expect(hosted.status?.station.outsideWindowUntil).not.toBeNull()
  expect(await station.sessions()).toEqual([])

  station.configure({ rest: { transfer: { limit_mbit_per_s: 0.5 } } })
  hosted.configure()
  await until('bytes move', async () => (await hosted.recordings()).some((row) => row.bytesSent > 0))
  station.configure({ rest: { transfer: closed } })
  hosted.configure()
  // Parts in flight are aborted and do not count. Otherwise the upload would run to its end.
  const [stopped] = await until('it is aborted or finished', async () => {
    const rows = await hosted.recordings()
    return rows.every((row) => row.bytesSent === 0 || row.state === 'processed') && rows
  })
  expect(stopped?.state).toBe('uploading')
  expect(await station.partsReceived()).toBe(0)

  station.configure()
  hosted.configure()
  await hosted.reaches('take.bin', 'processed')
  await station.expectAllSafe()
})

test('paused recordings do not hold up the others, however many are paused midway', async () => {
  station = await Station.open()
  station.configure({ rest: { transfer: { parallel_recordings: 1, limit_mbit_per_s: 0.5 } } })
  await record('slow-1.bin', PART)
  await record('slow-2.bin', PART)
  hosted = await HostedAgent.start(station)
  const held = [
    await hosted.reaches('slow-1.bin', 'uploading'),
    await hosted.reaches('slow-2.bin', 'uploading'),
  ]
  const ids = held.map((row) => row.id)
  await hosted.call('pauseRecordings', { ids })
  await record('quick.bin')
  await hosted.reaches('quick.bin', 'processed')
  const rows = await hosted.recordings()
  expect(rows.filter((row) => row.paused).map((row) => row.state)).toEqual(['uploading', 'uploading'])

  station.configure()
  hosted.configure()
  await hosted.call('resumeRecordings', { ids })
  await hosted.reaches('slow-1.bin', 'processed')
  await hosted.reaches('slow-2.bin', 'processed')
  await station.expectAllSafe()
})

test('an urgent recording overtakes an upload in progress', async () => {
  station = await Station.open()
  station.configure({
    rest: { transfer: { parallel_recordings: 1, parallel_parts: 1, limit_mbit_per_s: 8 } },
  })
  await record('long.bin', 16 * PART)
  hosted = await HostedAgent.start(station)
  await hosted.reaches('long.bin', 'uploading')
  await record('urgent.bin')
  const { id } = await until('it is known', async () =>
    (await hosted.recordings()).find((row) => row.name === 'urgent.bin'),
  )
  await hosted.call('prioritiseRecordings', { ids: [id] })
  await hosted.reaches('urgent.bin', 'processed')

  const long = (await hosted.recordings()).find((row) => row.name === 'long.bin')
  expect(long?.state).toBe('uploading')
})

test('recognises copies of the same content and uploads them once', async () => {
  station = await Station.open()
  await record('first.bin', PART + 1)
  copyFileSync(here('first.bin'), here('twin.bin'))
  expect(await station.runToIdle()).toBe(0)
  copyFileSync(here('first.bin'), here('later.bin'))
  expect(await station.runToIdle()).toBe(0)

  await station.expectAllSafe()
  expect(await station.sessions()).toHaveLength(1)
  expect(Object.values((await station.stats()).parts)).toEqual([{ 1: 1, 2: 1 }])
  expect(reasonsOf(station.data, here('later.bin')).join()).toContain('same content as')
})

test('uploads copies too if the folder is set to do so', async () => {
  station = await Station.open()
  station.configure({ folder: { upload_duplicates: true } })
  await record('first.bin')
  copyFileSync(here('first.bin'), here('twin.bin'))

  expect(await station.runToIdle()).toBe(0)

  await station.expectAllSafe()
  expect(await station.sessions()).toHaveLength(2)
})

test('a session deleted at the service during the upload is replaced by a new one', async () => {
  station = await Station.open()
  station.configure({ rest: { transfer: { parallel_parts: 1, limit_mbit_per_s: 30 } } })
  await record('take.bin', 3 * PART)
  // Fail the completion, so that the deletion comes first even on a busy PC.
  await station.fault({ route: 'complete', count: 1000, effect: { kind: 'status', status: 503 } })
  const agent = station.agent('--until-idle')
  const line = await agent.saw('a part is sent', ({ bytes_sent }) => bytes_sent > PART)
  expect((await station.sandbox.api(`/v1/sessions/${line.session_id}`, { method: 'DELETE' })).ok).toBe(true)
  await station.sandbox.control('DELETE', '/faults')

  expect(await agent.ended).toBe(0)

  await station.expectAllSafe()
  expect((await station.status()).recordings[0]?.session_id).not.toBe(line.session_id)
})
