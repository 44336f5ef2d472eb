import { once } from 'node:events'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openRecorder, recordMcap } from '../support/formats/mcap-recorder.ts'
import { waitForJournal } from '../support/journal-file.ts'
import { linux, needs } from '../support/needs.ts'
import { Station } from '../support/station.ts'

/** A recorder as a process of its own, beside the agent as a process of its own. */

let station: Station
const here = (name: string) => path.join(station.recordings, name)
const waitFor = (what: string, sql: string) => waitForJournal(station.data, what, sql)
const isReported = (name: string, sentence: string) =>
  waitFor(
    `${name} is reported: ${sentence}`,
    `SELECT 1 FROM inspections JOIN recordings ON id = recording_id
     WHERE name = '${name}' AND deviations LIKE '%${sentence}%'`,
  )
const isProcessed = (name: string) =>
  waitFor(`${name} is processed`, `SELECT 1 FROM recordings WHERE name = '${name}' AND state = 'processed'`)

beforeAll(async () => {
  station = await Station.open()
  // Five recordings show what is usual. They differ, because the same content is uploaded only once.
  for (let take = 1; take <= 5; take += 1)
    await recordMcap(here(`take_${take}.mcap`), { seconds: 20, start: 1_700_000_000 + take * 60 })
  expect(await station.runToIdle()).toBe(0)
})
afterAll(() => station.close())

test('a camera that stops half-way is reported at the end of the recording, without the settle time', async () => {
  // On other systems, Sluice cannot see that the recorder has closed the file.
  station.configure({ folder: { settle_seconds: process.platform === 'linux' ? 600 : 1 } })
  const agent = station.agent()
  await recordMcap(here('take_6.mcap'), { seconds: 20, cameraSeconds: 9 })
  await isReported('take_6.mcap', '/camera/wrist has 14 Hz (usually 30 Hz).')
  await isProcessed('take_6.mcap')
  await agent.kill()
})

test(
  'after kill -9 of recorder and agent, the recording is reported as cut off and is uploaded',
  needs(linux),
  async () => {
    station.configure()
    const agent = station.agent()
    const recorder = await openRecorder(here('take_7.mcap'), { seconds: 20 })
    await waitFor('the agent has found the file', "SELECT 1 FROM recordings WHERE name = 'take_7.mcap'")
    await agent.kill()
    recorder.kill('SIGKILL')
    await once(recorder, 'close')
    const restarted = station.agent()
    await isReported('take_7.mcap', 'The file is cut off.')
    await waitFor(
      'the service has the recording',
      "SELECT 1 FROM recordings WHERE name = 'take_7.mcap' AND state IN ('processed', 'failed')",
    )
    // kill -9 in the middle of everything else: the report is in the journal.
    await restarted.kill()
    const { out } = await station.sluice('status')
    expect(out.replaceAll(/\s+/g, ' ')).toContain('Check this recording, take_7.mcap: The file is cut off.')
  },
)
