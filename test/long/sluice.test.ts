import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { writeRandomFile } from '../support/kill-repeatedly.ts'
import { agentProgram } from '../support/programs.ts'
import { seeded } from '../support/seeded.ts'
import { Station } from '../support/station.ts'
import { sluice } from '../support/typed-command.ts'

/** The real program on a station with three safe recordings. */
let station: Station
let settings: readonly string[]
const random = seeded(31)
const pathOf = (name: string) => path.join(station.recordings, name)

beforeAll(async () => {
  station = await Station.open()
  settings = ['--settings', station.settingsFile]
  for (const name of ['one.bin', 'two.bin', 'three.bin']) await writeRandomFile(pathOf(name), 1000, random)
  expect(await station.runToIdle()).toBe(0)
})
afterAll(() => station.close())

const runCommand = (...args: string[]) => sluice(...args, '--data', station.data)

const runJson = async (...args: string[]) => {
  const { code, out, err } = await runCommand(...args, '--json')
  return { code, err, value: JSON.parse(out) }
}

const sessionOf = async (name: string): Promise<string> => {
  const { recordings } = await station.status()
  return recordings.find(({ path: file }) => file === pathOf(name))?.session_id ?? ''
}

test('deletes a session only after its ID is typed or with --yes, and a session in use only with --even-in-use', async () => {
  const id = await sessionOf('two.bin')
  const confirmWith = async (text: string, ...extraArgs: string[]) => {
    const args = ['sessions', 'delete', id, ...settings, '--data', station.data, ...extraArgs]
    const child = spawn(process.execPath, [agentProgram, ...args], { stdio: ['pipe', 'ignore', 'pipe'] })
    let output = ''
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk
    })
    // The command may exit before it reads the input.
    child.stdin.on('error', () => {})
    child.stdin.end(text)
    const [code] = await once(child, 'close')
    return { code, output }
  }
  const isAtService = async () => (await station.sessions()).some((session) => session.id === id)

  const refusal = await confirmWith(`${id}\n`)
  expect(refusal).toMatchObject({ code: 1, output: expect.stringContaining('needs this session') })
  expect(refusal.output).toContain(`${pathOf('two.bin')} (Safe)`)
  for (const text of ['', `${id}x\n`]) {
    const unconfirmed = await confirmWith(text, '--even-in-use')
    expect(unconfirmed).toMatchObject({ code: 1, output: expect.stringContaining('Nothing was deleted.') })
    expect(unconfirmed.output.replaceAll('\n', ' ')).toContain('You cannot undo this.')
  }
  expect(await isAtService()).toBe(true)

  expect((await confirmWith(`${id}\n`, '--even-in-use')).code).toBe(0)
  expect(await isAtService()).toBe(false)
  const { station: reported } = (await runJson('status')).value
  expect(reported.standings).toMatchObject({ safe: 2, 'needs-attention': 0 })
  // A session that this station does not need is deleted without --even-in-use.
  const [foreignSession] = (await runJson('sessions', 'list', '--status', 'failed', ...settings)).value
    .sessions
  const readOnlySettings = path.join(station.root, 'reading.json')
  const settingsJson = JSON.parse(readFileSync(station.settingsFile, 'utf8'))
  settingsJson.service.api_key = station.sandbox.keys.read
  writeFileSync(readOnlySettings, JSON.stringify(settingsJson), { mode: 0o600 })
  const denial = await runJson(
    'sessions',
    'delete',
    foreignSession.id,
    '--yes',
    '--settings',
    readOnlySettings,
  )
  expect(denial).toMatchObject({ code: 1, value: { error: { exit_code: 1 } } })
  expect(denial.err).toMatch(/^sluice: .*Request ID: req_/)
  const deletion = await runJson('sessions', 'delete', foreignSession.id, '--yes', ...settings)
  expect(deletion).toMatchObject({ code: 0, value: { id: foreignSession.id, deleted: true } })
})

test('doctor, verify and webhook accept --managed, but store no copy of the settings', async () => {
  const managed = path.join(station.root, 'managed.json')
  const { service, folders } = JSON.parse(readFileSync(station.settingsFile, 'utf8'))
  writeFileSync(managed, JSON.stringify({ service, folders }), { mode: 0o600 })
  const receipt = path.join(station.root, 'receipt.json')
  await runCommand('receipt', '--path', pathOf('one.bin'), '--out', receipt)

  const doctor = await station.command('doctor', '--managed', managed, '--json')
  expect(JSON.parse(doctor.out).findings).toContainEqual(
    expect.objectContaining({ subject: 'Service and key', verdict: 'pass' }),
  )
  expect(await runJson('verify', receipt, '--managed', managed)).toMatchObject({
    code: 0,
    value: { agrees: 1 },
  })
  const url = 'https://hooks.example.com/managed'
  expect(await runJson('webhook', url, '--managed', managed)).toMatchObject({ code: 0, value: { url } })
  expect(readFileSync(managed, 'utf8')).toContain(service.api_key)

  // A user who can change the file could make Sluice send the key to a different address.
  chmodSync(managed, 0o666)
  const refusal = await runCommand('verify', receipt, '--managed', managed)
  if (process.platform !== 'win32') expect(refusal).toMatchObject({ code: 2, out: '' })
  // The commands stored no copy of the managed settings, so a command without a file finds no settings.
  const withoutSettings = await station.command('doctor')
  expect(withoutSettings).toMatchObject({
    code: 1,
    err: expect.stringContaining('Name a file: --settings FILE'),
  })
})
