import { execFileSync } from 'node:child_process'
import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { readJournal, reasonsOf, waitForJournal } from '../support/journal-file.ts'
import { writeRandomFile } from '../support/kill-repeatedly.ts'
import { seeded } from '../support/seeded.ts'
import { PART, Station, sha256OfFile, until } from '../support/station.ts'

let station: Station
afterEach(() => station.close())

const random = seeded(4)
const mismatch = { kind: 'status', status: 409, code: 'checksum_mismatch' }

const record = async (bytes: number): Promise<string> => {
  const file = path.join(station.recordings, 'take.bin')
  await writeRandomFile(file, bytes, random)
  return file
}

test('hard case 4: after 409 checksum_mismatch with an unchanged file, Sluice sends all parts again', async () => {
  station = await Station.open()
  await record(PART + 1)
  await station.fault({ route: 'complete', effect: mismatch })

  expect(await station.runToIdle()).toBe(0)

  await station.expectAllSafe()
  expect(await station.sessions()).toHaveLength(1)
  expect(Object.values((await station.stats()).parts)).toEqual([{ 1: 2, 2: 2 }])
})

test('hard case 4b: if the service refuses a wrong ETag at completion, Sluice corrects it in the same session', async () => {
  station = await Station.open()
  await record(PART + 1)
  await station.fault({ route: 'put_part', match: { part: 2 }, effect: { kind: 'corrupt_etag' } })

  expect(await station.runToIdle()).toBe(0)

  await station.expectAllSafe()
  expect((await station.stats()).routes.create).toBe(1)
})

test('hard case 4c: after 409 checksum_mismatch with a changed file, Sluice deletes the session and starts over', async () => {
  station = await Station.open()
  const file = await record(PART + 1)
  const busy = { kind: 'status', status: 503, retry_after_s: 0.5 }
  await station.fault({ route: 'complete', count: 1000, effect: busy })
  const agent = station.agent('--until-idle')
  await until('completion was tried', async () => ((await station.stats()).routes.complete ?? 0) > 0)
  const [old] = await station.sessions()
  // Edits the file and restores its mtime while the agent is stopped, so that the file looks unchanged.
  agent.child.kill('SIGSTOP')
  const times = path.join(station.root, 'times')
  writeFileSync(times, '')
  execFileSync('touch', ['-r', file, times])
  const handle = openSync(file, 'r+')
  writeSync(handle, 'edited', 4096)
  closeSync(handle)
  execFileSync('touch', ['-r', times, file])
  agent.child.kill('SIGCONT')
  // The newest fault applies first, so the next completion gets the mismatch.
  await station.fault({ route: 'complete', effect: mismatch })
  await waitForJournal(
    station.data,
    'the agent has journaled the mismatch',
    "SELECT 1 FROM timeline WHERE reason LIKE '%computed a different checksum%'",
  )
  await station.sandbox.control('DELETE', '/faults')

  expect(await agent.ended).toBe(0)

  const sessions = await station.sessions()
  expect(sessions).toHaveLength(1)
  expect((await station.stored(sessions[0]?.id ?? '')).sha256).toBe(await sha256OfFile(file))
  expect(sessions[0]?.id).not.toBe(old?.id)
})

test('hard case 4d: after four mismatches, Sluice retries every hour, and the run exits with 2', async () => {
  station = await Station.open()
  const file = await record(1000)
  await station.fault({ route: 'complete', count: 1000, effect: mismatch })

  expect(await station.runToIdle()).toBe(2)

  const [recording] = (await station.status()).recordings
  expect(recording).toMatchObject({
    state: 'completing',
    problem: { code: 'checksum-mismatch', owner: 'service', endsBy: 'answer' },
  })
  expect((await station.stats()).routes.complete).toBe(4)
  expect(
    reasonsOf(station.data, file).filter((reason) => reason.includes('a different checksum')),
  ).not.toEqual([])

  // After the service is fixed and a user retries, nothing is lost.
  await station.sandbox.control('DELETE', '/faults')
  expect((await station.command('retry', file)).code).toBe(0)
  expect(await station.runToIdle()).toBe(0)
  await station.expectAllSafe()
  expect(readJournal(station.data, 'SELECT id FROM recordings')).toHaveLength(1)
})
