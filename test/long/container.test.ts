import { spawn } from 'node:child_process'
import { closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { collectOutput } from '../support/child-end.ts'
import { readJournal } from '../support/journal-file.ts'
import { needs, ownProcessList, ownProcessListCommand } from '../support/needs.ts'
import { agentProgram } from '../support/programs.ts'
import { recordNight } from '../support/removal-kills.ts'
import { Station, until } from '../support/station.ts'

/** An agent in its own PID namespace, as in a container, and a recorder outside. */

let station: Station
afterEach(() => station.close())

const DELETE = { after_upload: { action: 'delete', days: 0 } }
const NOT_SET = { SLUICE_RECORDERS_IN_CONTAINER: '' }

const waits = () =>
  readJournal<{ waits: string | null }>(station.data, 'SELECT waits FROM removals').map((row) => row.waits)

test(
  'in a container, the agent keeps a file that a recorder outside has open',
  needs(ownProcessList),
  async () => {
    station = await Station.openLive()
    await recordNight(station, 1)
    const file = path.join(station.recordings, 'night', 'take-0.bin')
    const recorder = openSync(file, 'a')
    station.configure({ folder: DELETE })
    const agent = station.agentWith({ through: ownProcessListCommand, env: NOT_SET })
    await until('the file waits', () => !existsSync(file) || waits().includes('file-open'))
    await agent.kill()
    writeSync(recorder, 'the end')
    closeSync(recorder)
    expect(readFileSync(file, 'utf8').endsWith('the end')).toBe(true)
  },
)

test(
  'in a container, the agent removes at once a file that no program has open',
  needs(ownProcessList),
  async () => {
    station = await Station.openLive()
    await recordNight(station, 1)
    const file = path.join(station.recordings, 'night', 'take-0.bin')
    station.configure({ folder: DELETE })
    station.agentWith({ through: ownProcessListCommand, env: NOT_SET })
    await until('the file is gone', () => !existsSync(file))
  },
)

const openFilesFinding = async (env: Readonly<Record<string, string>>) => {
  const [program, ...args] = ownProcessListCommand
  const doctor = [
    agentProgram,
    'doctor',
    '--settings',
    station.settingsFile,
    '--data',
    station.data,
    '--json',
  ]
  const child = spawn(program, [...args, process.execPath, ...doctor], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  })
  const { out } = await collectOutput(child)
  const { findings } = JSON.parse(out) as {
    findings: { subject: string; verdict: string; sentence: string }[]
  }
  return findings.find(({ subject }) => subject === 'Open files')
}

test('doctor reports that writers outside the container are invisible', needs(ownProcessList), async () => {
  station = await Station.openLive()
  station.configure({ folder: DELETE })
  expect(await openFilesFinding(NOT_SET)).toMatchObject({
    verdict: 'warn',
    sentence: 'Sluice runs in a container and cannot see which files programs outside it have open.',
  })
  expect(await openFilesFinding({ SLUICE_RECORDERS_IN_CONTAINER: '1' })).toMatchObject({
    verdict: 'pass',
    sentence: expect.stringContaining('Programs outside are invisible'),
  })
})
