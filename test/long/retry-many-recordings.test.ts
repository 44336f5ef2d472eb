import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { HostedAgent } from '../support/hosted-agent.ts'
import { copyRecording, readJournal } from '../support/journal-file.ts'
import { Station, until } from '../support/station.ts'

const MANY = 10_000

let station: Station
let hosted: HostedAgent

/**
 * Copies the journal row of a recording with a problem (an empty file) many times. The agent itself would retry the
 * copies only after an hour.
 */
beforeEach(async () => {
  station = await Station.open()
  writeFileSync(path.join(station.recordings, 'empty.bin'), '')
  const first = await HostedAgent.start(station)
  await first.waitForProblem('empty.bin', 'empty-file')
  await first.stop()
  copyRecording(station.data, MANY, {
    folder: "'/elsewhere'",
    folder_key: "'/elsewhere'",
    next_attempt_at: 'next_attempt_at + 3600000',
  })
  hosted = await HostedAgent.start(station)
})
afterEach(() => station.close())

test('one call retries 10,000 recordings, and the agent answers other requests meanwhile', async () => {
  const [{ code }] = readJournal<{ code: string }>(
    station.data,
    'SELECT problem_code AS code FROM recordings WHERE id = 1',
  ) as [{ code: string }]
  await until('all recordings count as needing attention', () => hosted.status?.needAttention === MANY)
  const retry = hosted.call('retryProblem', { code })
  // The agent answers this later request before the next step of the retry.
  expect(await hosted.call('getRecording', { id: MANY })).toMatchObject({ state: 'growing' })
  await retry

  const [{ n }] = readJournal<{ n: number }>(
    station.data,
    "SELECT COUNT(DISTINCT recording_id) AS n FROM timeline WHERE reason = 'retried by user'",
  ) as [{ n: number }]
  expect(n).toBe(MANY)
})
