import { closeSync, openSync, writeSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { record } from '../bench/recorder/record.ts'
import { type AgentProcess, MIB, PART, Station, sha256OfFile } from '../support/station.ts'

const MEGABYTES = 250
const MEGABYTES_PER_SECOND = 100

let station: Station
beforeEach(async () => {
  station = await Station.open()
  station.configure({ folder: { settle_seconds: 2 } })
})
afterEach(() => station.close())

const writeAt = (file: string, position: number, bytes: Uint8Array): void => {
  const fd = openSync(file, 'r+')
  writeSync(fd, bytes, 0, bytes.length, position)
  closeSync(fd)
}

const fileOf = (name: string) => path.join(station.recordings, name)

const waitUntilProcessed = (agent: AgentProcess, file: string) =>
  agent.waitForChange(`${file} is processed`, (line) => line.path === file && line.state === 'processed')

test('uploads exactly the bytes of a recording that grows steadily, and each part once', async () => {
  const agent = station.agent()
  const file = fileOf('steady.bin')
  await record(file, { megabytes: MEGABYTES, rate: MEGABYTES_PER_SECOND })
  await waitUntilProcessed(agent, file)
  await station.expectAllSafe()
  expect(await station.partsReceived()).toBe(Math.ceil((MEGABYTES * 1_000_000) / PART))
})

test.each<[string, number, Uint8Array]>([
  ['fills in the first bytes', 4, Buffer.from('size')],
  ['changes a byte at the end of the first part', PART - 1, Buffer.of(7)],
  ['overwrites the middle of the file', 150 * MIB, Buffer.alloc(20 * MIB, 'written again')],
  ['changes a single byte that the agent’s samples are likely to miss', 222_222_222, Buffer.of(7)],
])('the upload matches the file if the recorder, as its last step, %s', async (_change, position, bytes) => {
  const agent = station.agent()
  const file = fileOf('rewritten.bin')
  await record(file, { megabytes: MEGABYTES, rate: MEGABYTES_PER_SECOND })
  writeAt(file, position, bytes)
  await waitUntilProcessed(agent, file)
  const [recording] = (await station.status()).recordings
  expect(recording?.sha256).toBe(await sha256OfFile(file))
  await station.expectAllSafe()
})

test('all bytes arrive in one session, although the agent is killed repeatedly while the recorder writes', async () => {
  const file = fileOf('killed.bin')
  const recording = record(file, { megabytes: MEGABYTES * 2, rate: MEGABYTES_PER_SECOND })
  for (let n = 0; n < 4; n += 1) {
    const agent = station.agent()
    await sleep(1_500)
    await agent.kill()
  }
  const agent = station.agent()
  await recording
  await waitUntilProcessed(agent, file)
  await station.expectAllSafe()
  expect(await station.sessions()).toHaveLength(1)
})
