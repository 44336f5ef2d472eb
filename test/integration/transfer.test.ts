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
const pathOf = (name: string) => path.join(station.recordings, name)
const record = (name: string, bytes = 1000) => writeRandomFile(pathOf(name), bytes, random)

test('uploads start when the upload hours begin and stop when they end', async () => {
  station = await Station.open()
  const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
  const closedTransfer = {
    windows: [{ days: [days[(new Date().getDay() + 3) % 7]], from: '00:00', to: '24:00' }],
  }
  station.configure({ rest: { transfer: closedTransfer } })
  await record('take.bin', 2 * PART)
  hosted = await HostedAgent.start(station)
  await hosted.waitForState('take.bin', 'ready')
  await until('the upload hours are shown', () =>
    hosted.status?.station.headline.startsWith('Upload hours start'),
  )
  expect(hosted.status?.station.outsideWindowUntil).not.toBeNull()
  expect(await station.sessions()).toEqual([])

  station.configure({ rest: { transfer: { limit_mbit_per_s: 0.5 } } })
  hosted.configure()
  await until('the agent sends bytes', async () =>
    (await hosted.recordings()).some((row) => row.bytesSent > 0),
  )
  station.configure({ rest: { transfer: closedTransfer } })
  hosted.configure()
  // The end of the upload hours aborts the parts in flight, so `bytesSent` drops to 0.
  const [abortedRow] = await until('the upload is aborted or finished', async () => {
    const rows = await hosted.recordings()
    return rows.every((row) => row.bytesSent === 0 || row.state === 'processed') && rows
  })
  expect(abortedRow?.state).toBe('uploading')
  expect(await station.partsReceived()).toBe(0)

  station.configure()
  hosted.configure()
  await hosted.waitForState('take.bin', 'processed')
  await station.expectAllSafe()
})
