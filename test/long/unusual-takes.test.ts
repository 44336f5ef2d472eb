import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { mcapFile } from '../contract/sample-files.ts'
import { waitForJournal } from '../support/journal-file.ts'
import { Station } from '../support/station.ts'
import { sluice } from '../support/typed-command.ts'

const SENTENCE = '/camera_front/image has 0.4 Hz on average (usually 1 Hz).'

let station: Station
const here = (name: string) => path.join(station.recordings, name)
const record = async (name: string, choices: Parameters<typeof mcapFile>[0]) =>
  writeFileSync(here(name), await mcapFile({ seconds: 30, ...choices }))
const inState = (name: string, state: string) =>
  waitForJournal(
    station.data,
    `${name} is ${state}`,
    `SELECT 1 FROM recordings WHERE name = '${name}' AND state = '${state}'`,
  )
const isHeld = (name: string) =>
  waitForJournal(
    station.data,
    `${name} is held`,
    `SELECT 1 FROM recordings WHERE name = '${name}' AND problem_code = 'take-held'`,
  )

type Report = {
  readonly station: { readonly headline: string; readonly takes_to_check: object }
  readonly recordings: readonly { readonly path: string; readonly deviations: readonly string[] }[]
}
const status = async (): Promise<Report> =>
  JSON.parse((await sluice('status', '--json', '--data', station.data)).out) as Report

beforeAll(async () => {
  station = await Station.open()
})
afterAll(() => station.close())

test('without any setting, a channel that stops early is reported, and the recording is uploaded', async () => {
  const agent = station.agent()
  for (let n = 1; n <= 6; n += 1) {
    await record(`take_${n}.mcap`, { startMs: 1_700_000_000_000 + n * 60_000 })
    await inState(`take_${n}.mcap`, 'processed')
  }
  await record('take_7.mcap', { cameraSeconds: 10 })
  await waitForJournal(
    station.data,
    'the deviation is reported',
    'SELECT 1 FROM inspections WHERE deviations NOT NULL',
  )
  const report = await status()
  const deviations = [SENTENCE, '/camera_front/image has a gap of 20 s (usually 1 s).']
  expect(report.recordings.find((row) => row.path === here('take_7.mcap'))).toMatchObject({ deviations })
  expect(report.station).toMatchObject({
    headline: '1 recording is not as expected, needs you',
    takes_to_check: { count: 1, newest: [{ name: 'take_7.mcap', held: false, deviations }] },
  })
  await inState('take_7.mcap', 'processed')
  await agent.kill()
})

test('a recording stays held after kill -9, and is uploaded only after the user’s decision', async () => {
  station.configure({ folder: { on_deviation: 'hold' } })
  const agent = station.agent()
  await record('take_8.mcap', { cameraSeconds: 11 })
  await isHeld('take_8.mcap')
  await agent.kill()
  const restarted = station.agent()
  // A later good recording does not release the held one.
  await record('take_9.mcap', { startMs: 1_800_000_000_000 })
  await inState('take_9.mcap', 'processed')
  const held = await status()
  expect(held.recordings.find((row) => row.path === here('take_8.mcap'))).toMatchObject({
    state: 'queued',
    session_id: null,
    problem: { code: 'take-held', endsBy: 'person' },
  })
  expect((await sluice('status', '--check', '--data', station.data)).code).toBe(2)
  const { code } = await sluice('retry', here('take_8.mcap'), '--data', station.data)
  expect(code).toBe(0)
  await inState('take_8.mcap', 'processed')
  await restarted.kill()
})

test('a dismissed recording stays on this PC', async () => {
  const agent = station.agent()
  await record('take_10.mcap', { cameraSeconds: 12 })
  await isHeld('take_10.mcap')
  const { out } = await sluice('dismiss', here('take_10.mcap'), '--data', station.data)
  expect(out).toContain('dismissed')
  await record('take_11.mcap', { startMs: 1_810_000_000_000 })
  await inState('take_11.mcap', 'processed')
  expect((await status()).recordings.find((row) => row.path === here('take_10.mcap'))).toMatchObject({
    state: 'queued',
    session_id: null,
    standing: 'dismissed',
  })
  await agent.kill()
})
