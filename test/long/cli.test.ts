import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { readJournal, waitForJournal } from '../support/journal-file.ts'
import { writeRandomFile } from '../support/kill-repeatedly.ts'
import { seeded } from '../support/seeded.ts'
import { AgentProcess, PART, Station, until } from '../support/station.ts'

let station: Station
afterEach(() => station.close())

const random = seeded(9)
const pathOf = (name: string) => path.join(station.recordings, name)
const longDelay = { kind: 'latency', ms: 600_000 }

test('pause stops an upload midway; resume sends only the remaining parts', async () => {
  station = await Station.open()
  station.configure({ rest: { transfer: { parallel_parts: 1 } } })
  await writeRandomFile(pathOf('take.bin'), 4 * PART, random)
  await station.fault({ route: 'put_part', match: { part: 2 }, count: 1000, effect: longDelay })
  const agent = station.agent('--until-idle')
  await agent.waitForChange('part 2 is in flight', (line) => line.bytes_sent > PART)
  expect((await station.sluice('pause')).code).toBe(0)
  await until('the part in flight is dropped', () => agent.lines.at(-1)?.bytes_sent === PART)
  await station.sandbox.control('DELETE', '/faults')
  expect((await station.sluice('resume')).code).toBe(0)

  expect(await agent.ended).toBe(0)
  await station.expectAllSafe()
  const [counts] = Object.values((await station.stats()).parts)
  expect(Object.values(counts ?? {})).toEqual([1, 1, 1, 1])
})

test('prioritise moves a recording to the front while an agent runs', async () => {
  station = await Station.open()
  station.configure({ rest: { transfer: { parallel_recordings: 1, parallel_parts: 1 } } })
  const agent = station.agent()
  await until('the agent runs', async () => (await station.sluice('pause')).code === 0)
  for (let n = 0; n < 12; n += 1) await writeRandomFile(pathOf(`take-${n}.bin`), 1000 + n, random)
  await waitForJournal(
    station.data,
    'all wait for an upload',
    "SELECT 1 FROM recordings WHERE state = 'ready' GROUP BY state HAVING COUNT(*) = 12",
  )
  const lastPath = (await station.status()).recordings.at(-1)!.path
  expect((await station.sluice('prioritise', lastPath)).code).toBe(0)
  const linesBefore = agent.lines.length
  expect((await station.sluice('resume')).code).toBe(0)
  await agent.waitForChange(
    'the prioritised recording is processed',
    (line) => line.path === lastPath && line.state === 'processed',
  )

  const linesWithSession = agent.lines.slice(linesBefore).filter((line) => line.session_id !== null)
  const order = [...new Set(linesWithSession.map((line) => line.path))]
  // The agent creates the sessions of several small recordings at the same time, even if `parallel_recordings` is 1.
  // The service may answer in a different order, so the prioritised recording may be second.
  expect(order.slice(0, 2)).toContain(lastPath)
})

test('a run with failures leaks no key and no signed URL to stdout, stderr or logs', async () => {
  station = await Station.open()
  await writeRandomFile(pathOf('take.bin'), PART + 1, random)
  await writeRandomFile(pathOf('other.bin'), 1000, random)
  await station.fault(
    { route: 'put_part', effect: { kind: 'expired_url' } },
    { route: 'put_part', after: 1, effect: { kind: 'status', status: 403 } },
    { route: 'put_part', after: 2, effect: { kind: 'drop', when: 'after_body' } },
    { route: 'create', effect: { kind: 'truncated_json' } },
    { route: 'retrieve', effect: { kind: 'negative_part_size' } },
    { route: 'complete', effect: { kind: 'status', status: 500 } },
  )
  const agent = station.agentWith({ keepOutput: true }, '--until-idle')
  await agent.ended
  const statusCommand = new AgentProcess(['status', '--data', station.data], { keepOutput: true })
  await statusCommand.ended

  const logs = readdirSync(path.join(station.data, 'logs')).map((name) =>
    readFileSync(path.join(station.data, 'logs', name), 'utf8'),
  )
  expect(logs.join('')).not.toBe('')
  const allOutput = [agent.stdout, agent.stderr, statusCommand.stdout, statusCommand.stderr, ...logs].join(
    '\n',
  )
  expect(allOutput).toContain('take.bin')
  expect(allOutput).not.toContain(station.sandbox.keys.write)
  expect(allOutput).not.toMatch(/X-Amz-|Signature=/i)
  // The journal keeps no signed URLs of processed recordings.
  expect(
    readJournal(
      station.data,
      "SELECT p.number FROM parts p JOIN recordings r ON r.id = p.recording_id WHERE r.state = 'processed' AND p.url IS NOT NULL",
    ),
  ).toEqual([])
})
