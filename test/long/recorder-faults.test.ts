import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openRecorder, recordMcap } from '../support/formats/mcap-recorder.ts'
import { waitForJournal } from '../support/journal-file.ts'
import { linux, needs } from '../support/needs.ts'
import { Station } from '../support/station.ts'

/** Recorder and agent are separate processes, as on a real station. */

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
  // Sluice learns from five recordings what is usual. No two are the same, because Sluice uploads the same content
  // only once.
  for (let take = 1; take <= 5; take += 1)
    await recordMcap(here(`take_${take}.mcap`), { seconds: 20, start: 1_700_000_000 + take * 60 })
  expect(await station.runToIdle()).toBe(0)
})
afterAll(() => station.close())

test('a camera that stops half-way is reported at the end of the recording, before the settle time is over', async () => {
  // On Linux, Sluice sees when the recorder closes the file. On other systems, Sluice may have to wait for the settle
  // time, so the test shortens it there.
  station.configure({ folder: { settle_seconds: process.platform === 'linux' ? 600 : 1 } })
  const agent = station.agent()
  await recordMcap(here('take_6.mcap'), { seconds: 20, cameraSeconds: 9 })
  await isReported('take_6.mcap', '/camera/wrist has 14 Hz on average (usually 30 Hz).')
  await isProcessed('take_6.mcap')
  await agent.kill()
})

/** One second of 16-bit sound with one channel. A cut file has fewer samples than its header says. */
const wavFile = (isLoud: boolean, isCut = false): Buffer => {
  const samples = Buffer.alloc(16_000)
  if (isLoud)
    for (let at = 0; at < samples.length; at += 2) samples.writeInt16LE(((at * 37) % 20_000) - 10_000, at)
  const header = Buffer.alloc(44)
  header.write('RIFF', 0)
  header.writeUInt32LE(36 + samples.length, 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(8_000, 24)
  header.writeUInt32LE(16_000, 28)
  header.writeUInt16LE(2, 32)
  header.writeUInt16LE(16, 34)
  header.write('data', 36)
  header.writeUInt32LE(samples.length, 40)
  return Buffer.concat([header, isCut ? samples.subarray(0, 9_000) : samples])
}

test(
  'a silent and a cut-off WAV file are reported before the settle time is over',
  needs(linux),
  async () => {
    const channels = [{ name: '*', not_constant: true }]
    station.configure({ folder: { settle_seconds: 600, expect: { format: 'wav', channels } } })
    const agent = station.agent()
    writeFileSync(here('loud.wav'), wavFile(true))
    writeFileSync(here('silent.wav'), wavFile(false))
    writeFileSync(here('cut.wav'), wavFile(true, true))
    await isReported('silent.wav', 'silent')
    await isReported('cut.wav', 'The file is cut off.')
    await waitFor(
      'the good file is inspected and not reported while it still counts as growing',
      `SELECT 1 FROM inspections JOIN recordings ON id = recording_id
     WHERE name = 'loud.wav' AND result IS NOT NULL AND deviations IS NULL AND state = 'growing'`,
    )
    await agent.kill()
  },
)

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
    // The report survives kill -9 of the agent, because it is in the journal.
    await restarted.kill()
    const { out } = await station.sluice('status')
    expect(out.replaceAll(/\s+/g, ' ')).toContain('Check this recording, take_7.mcap: The file is cut off.')
  },
)
