import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import type { Finding } from '../../shared/ipc/station-check.ts'
import { writeRandomFile } from '../support/kill-repeatedly.ts'
import { seeded } from '../support/seeded.ts'
import { Station } from '../support/station.ts'
import { startAgent } from './endpoint-support.ts'

/** These tests run `doctor` as a user does, for a station with its own sandbox. */

let station: Station
afterEach(() => station.close())

const doctor = async () => {
  const { code, out, err } = await station.command('doctor', '--settings', station.settingsFile, '--json')
  if (out === '') throw new Error(`doctor printed nothing: ${err}`)
  const { findings } = JSON.parse(out) as { readonly findings: readonly Finding[] }
  return {
    code,
    out,
    findingOf: (subject: string) => findings.find((finding) => finding.subject === subject),
  }
}

test('a healthy station passes, the text fits into 80 columns, and the checks create no file and no session', async () => {
  station = await Station.open()
  station.configure({ folder: { exclude: [] } })
  await writeRandomFile(path.join(station.recordings, 'take.bin'), 1000, seeded(5))
  expect(await station.runToIdle()).toBe(0)

  const { code, out, findingOf } = await doctor()
  for (const subject of ['Service and key', 'Clock', 'Journal', 'Storage', 'Proxy', station.recordings])
    expect([subject, findingOf(subject)?.verdict]).toEqual([subject, 'pass'])
  expect(findingOf(station.recordings)?.sentence).toContain('The system reports new files')
  expect(code).toBe(0)
  expect(out).not.toContain(station.sandbox.keys.write)
  expect(readdirSync(station.recordings)).toEqual(['take.bin'])
  // The one session is the upload of take.bin. The permission check created none.
  expect(await station.sessions()).toHaveLength(1)

  const text = await station.command('doctor', '--settings', station.settingsFile)
  expect(text.code).toBe(0)
  for (const line of text.out.split('\n').filter((line) => !line.includes(station.root)))
    expect(line.length).toBeLessThanOrEqual(80)
})

test('a read-only key and a missing folder fail with a next step; a missing journal is only a warning', async () => {
  station = await Station.open()
  station.configure({
    service: { api_key: station.sandbox.keys.read },
    folder: { path: path.join(station.root, 'not there') },
  })
  mkdirSync(station.data)
  const { code, findingOf } = await doctor()
  expect(code).toBe(1)
  for (const subject of ['Service and key', path.join(station.root, 'not there')])
    expect(findingOf(subject)).toMatchObject({ verdict: 'fail', next: expect.stringMatching(/\w/) })
  expect(findingOf('Clock')?.verdict).toBe('pass')
  expect(findingOf('Journal')).toMatchObject({
    verdict: 'warn',
    sentence: expect.stringContaining('Not set up yet'),
  })
  for (const subject of ['Storage', 'Throughput']) expect(findingOf(subject)).toBeUndefined()
})

test('finishes without a network and reports the failed checks', async () => {
  station = await Station.open()
  station.configure({ service: { base_url: 'http://127.0.0.1:1' } })
  const { code, findingOf } = await doctor()
  expect(code).toBe(1)
  expect(findingOf('Service and key')).toMatchObject({
    verdict: 'fail',
    sentence: expect.stringContaining('127.0.0.1:1'),
  })
  expect(findingOf('Clock')?.verdict).toBe('skip')
})

test('reports wrong settings like other commands', async () => {
  station = await Station.open()
  writeFileSync(station.settingsFile, '{')
  const { code, out, err } = await station.command('doctor', '--settings', station.settingsFile)
  expect([code, out]).toEqual([1, ''])
  expect(err).toContain('is not valid JSON')
})

const HOLDS = 'An agent uses this data folder, but this command cannot attach to it.'
test.each<[string, (socket: string) => void]>([
  ['a folder is in place of the agent’s socket', (socket) => mkdirSync(socket)],
  [
    'a file is in place of the agent’s socket',
    (socket) => writeFileSync(socket, 'a file of a different program'),
  ],
  ['the agent’s socket was removed', () => {}],
])('reports that an agent uses the data folder if %s', async (_, block) => {
  station = await Station.open()
  const agent = await startAgent(station)
  const socket = path.join(station.data, 'agent.sock')
  rmSync(socket)
  block(socket)
  const held = (await doctor()).findingOf('Agent')
  expect(held).toMatchObject({ verdict: 'warn', sentence: expect.stringContaining(HOLDS) })
  await agent.kill('SIGKILL')
  expect((await doctor()).out).not.toContain(HOLDS)
})
