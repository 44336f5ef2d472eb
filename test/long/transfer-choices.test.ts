import { copyFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { HostedAgent } from '../support/hosted-agent.ts'
import { reasonsOf } from '../support/journal-file.ts'
import { writeRandomFile } from '../support/kill-repeatedly.ts'
import { seeded } from '../support/seeded.ts'
import { PART, Station } from '../support/station.ts'

let station: Station
let hosted: HostedAgent
afterEach(() => station.close())

const random = seeded(12)
const pathOf = (name: string) => path.join(station.recordings, name)
const record = (name: string, bytes = 1000) => writeRandomFile(pathOf(name), bytes, random)

test('upload-now sends a recording outside the upload hours, and status reports that they are ignored', async () => {
  station = await Station.open()
  const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
  const closedTransfer = {
    windows: [{ days: [days[(new Date().getDay() + 3) % 7]], from: '00:00', to: '24:00' }],
  }
  station.configure({ rest: { transfer: closedTransfer } })
  await record('now.bin')
  await record('later.bin')
  hosted = await HostedAgent.start(station)
  await hosted.waitForState('now.bin', 'ready')
  await hosted.waitForState('later.bin', 'ready')
  const first = await station.sluice('upload-now', '--json', pathOf('now.bin'))
  expect(JSON.parse(first.out)).toMatchObject({ upload_now: true, paths: [pathOf('now.bin')] })
  await hosted.waitForState('now.bin', 'processed')
  expect((await hosted.recordings()).find(({ name }) => name === 'later.bin')?.state).toBe('ready')

  await station.sluice('upload-now')
  await hosted.waitForState('later.bin', 'processed')
  const { out } = await station.sluice('status', '--json')
  expect(JSON.parse(out).station).toMatchObject({
    upload_now: { station: true, recordings: 0 },
    detail: expect.stringContaining('Upload hours ignored until'),
  })
  const undoResult = await station.sluice('upload-now', '--undo', '--json')
  expect(JSON.parse(undoResult.out)).toEqual({ upload_now: false, was_lifted: true })
  const statusAfter = await station.sluice('status', '--json')
  expect(JSON.parse(statusAfter.out).station.upload_now).toBeNull()
})

test('recordings that are paused during their upload do not hold up the others', async () => {
  station = await Station.open()
  station.configure({ rest: { transfer: { parallel_recordings: 1, limit_mbit_per_s: 0.5 } } })
  await record('slow-1.bin', PART)
  await record('slow-2.bin', PART)
  hosted = await HostedAgent.start(station)
  const uploadingRows = [
    await hosted.waitForState('slow-1.bin', 'uploading'),
    await hosted.waitForState('slow-2.bin', 'uploading'),
  ]
  const ids = uploadingRows.map((row) => row.id)
  await hosted.call('pauseRecordings', { ids })
  await record('quick.bin')
  await hosted.waitForState('quick.bin', 'processed')
  const rows = await hosted.recordings()
  expect(rows.filter((row) => row.paused).map((row) => row.state)).toEqual(['uploading', 'uploading'])

  station.configure()
  hosted.configure()
  await hosted.call('resumeRecordings', { ids })
  await hosted.waitForState('slow-1.bin', 'processed')
  await hosted.waitForState('slow-2.bin', 'processed')
  await station.expectAllSafe()
})

test('uploads copies of the same content once', async () => {
  station = await Station.open()
  await record('first.bin', PART + 1)
  copyFileSync(pathOf('first.bin'), pathOf('twin.bin'))
  expect(await station.runToIdle()).toBe(0)
  copyFileSync(pathOf('first.bin'), pathOf('later.bin'))
  expect(await station.runToIdle()).toBe(0)

  await station.expectAllSafe()
  expect(await station.sessions()).toHaveLength(1)
  expect(Object.values((await station.stats()).parts)).toEqual([{ 1: 1, 2: 1 }])
  expect(reasonsOf(station.data, pathOf('later.bin')).join()).toContain('same content as')
})

test('uploads copies too if upload_duplicates is on for the folder', async () => {
  station = await Station.open()
  station.configure({ folder: { upload_duplicates: true } })
  await record('first.bin')
  copyFileSync(pathOf('first.bin'), pathOf('twin.bin'))

  expect(await station.runToIdle()).toBe(0)

  await station.expectAllSafe()
  expect(await station.sessions()).toHaveLength(2)
})
