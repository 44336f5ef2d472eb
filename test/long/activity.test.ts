import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import { parseLogLine } from '../../shared/ipc/program-log.ts'
import type { ActivityEntry } from '../../shared/status/activity.ts'
import { waitForJournal } from '../support/journal-file.ts'
import { SandboxProcess } from '../support/sandbox-process.ts'
import { Station } from '../support/station.ts'

let station: Station
afterEach(() => station.close())

const put = (name: string) => writeFileSync(path.join(station.recordings, name), `the content of ${name}`)
type PrintedEntry = Pick<ActivityEntry, 'kind' | 'at' | 'sentence'> & Readonly<Record<string, unknown>>
const listEntries = async (...flags: string[]): Promise<PrintedEntry[]> =>
  JSON.parse((await station.sluice('activity', '--json', ...flags)).out).entries

test('lists one night’s events in 80 columns, newest last, with the request IDs of the service', async () => {
  station = await Station.open()
  put('take.bin')
  writeFileSync(path.join(station.recordings, 'empty.bin'), '')
  expect(await station.runToIdle()).toBe(2)

  const entries = await listEntries()
  expect(entries.map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(['started', 'found', 'uploaded', 'safe', 'held', 'stopped']),
  )
  expect(entries.map(({ at }) => at)).toEqual(entries.map(({ at }) => at).toSorted())
  const uploaded = entries.find(({ kind }) => kind === 'uploaded')
  expect(uploaded).toMatchObject({
    request_id: expect.stringMatching(/^req_/),
    session_id: expect.stringMatching(/^ses_/),
    recording_id: expect.any(Number),
  })

  const { out } = await station.sluice('activity')
  const lines = out.trimEnd().split('\n')
  expect(lines[0]).toMatch(/^Today \d\d:\d\d +Sluice \S+ started\.$/)
  expect(lines.at(-1)).toMatch(/^Today \d\d:\d\d +Sluice was closed\.$/)
  expect(out).toContain('take.bin is safe.')
  expect(out.replace(/\s+/g, ' ')).toContain(
    'empty.bin is on hold. The file is empty: the recorder wrote nothing. Needs you.',
  )
  expect(out.replace(/\s+/g, ' ')).toContain(`Request ID: ${uploaded?.request_id}`)
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(80)

  // The log has one line per event, with the IDs of the recording and the request.
  const log = readFileSync(path.join(station.data, 'logs/sluice.log'), 'utf8').trimEnd().split('\n')
  const line = log.map(parseLogLine).find(({ requestId }) => requestId === uploaded?.request_id)
  expect(line).toMatchObject({ source: 'agent', level: 'info', recordingId: uploaded?.recording_id })
  expect(log.map(parseLogLine).filter(({ level }) => level === 'warn')).toMatchObject([
    { text: expect.stringMatching(/^held recording=\d+ .*"code":"empty-file"/) },
  ])
})

test('after a crash, the next run reports the crash, the changed settings and an outage', async () => {
  station = await Station.open()
  put('take.bin')
  await station.fault({ route: 'put_part', count: 1000, effect: { kind: 'latency', ms: 600_000 } })
  const agent = station.agent()
  await waitForJournal(
    station.data,
    'the recording is uploading',
    "SELECT 1 FROM recordings WHERE state = 'uploading'",
  )
  agent.child.kill('SIGKILL')
  await agent.ended
  station.configure({ rest: { transfer: { parallel_parts: 2 } } })
  const port = new URL(station.sandbox.baseUrl).port
  await station.sandbox.stop()
  const nextAgent = station.agent()
  await waitForJournal(
    station.data,
    'the outage is listed',
    "SELECT 1 FROM activity WHERE kind = 'condition-began'",
  )
  const newSandbox = await SandboxProcess.start(path.join(station.root, 'service'), ['--port', port])
  onTestFinished(() => newSandbox.stop())
  await waitForJournal(
    station.data,
    'the outage is over',
    "SELECT 1 FROM activity WHERE kind = 'condition-ended'",
  )
  nextAgent.child.kill('SIGTERM')
  expect(await nextAgent.ended).toBe(0)

  const entries = await listEntries()
  const sentences = entries.map(({ sentence }) => sentence)
  const kinds = entries.map(({ kind }) => kind)
  expect(kinds.filter((kind) => kind === 'crashed')).toHaveLength(1)
  expect(kinds.indexOf('crashed')).toBeLessThan(kinds.lastIndexOf('started'))
  expect(sentences).toContain('Settings changed: parallel parts.')
  expect(sentences.find((sentence) => sentence.startsWith('The service cannot be reached.'))).toBeDefined()
  expect(sentences.find((sentence) => sentence.startsWith('Service back after'))).toBeDefined()
  const last = entries.at(-1)!
  expect(await listEntries('--since', last.at)).toEqual([last])
  expect((await listEntries('--since', '2001-01-01')).length).toBe(entries.length)
})

test('refuses an invalid time, and shows a valid example', async () => {
  station = await Station.open()
  const { code, err } = await station.sluice('activity', '--since', 'yesterday')
  expect(code).toBe(1)
  expect(err).toContain('--since takes a day such as 2026-03-01')
})
