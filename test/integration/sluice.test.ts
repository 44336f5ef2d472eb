import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { writeRandomFile } from '../support/kill-repeatedly.ts'
import { needs, posix, program } from '../support/needs.ts'
import { agentProgram } from '../support/programs.ts'
import { seeded } from '../support/seeded.ts'
import { Station, until } from '../support/station.ts'
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

test('`sessions` lists and shows sessions as the service returns them, without upload URLs', async () => {
  const list = await runJson('sessions', 'list', '--site', 'lab', '--most', '2', ...settings)
  expect(list).toMatchObject({ code: 0, value: { more: true } })
  expect(list.value.sessions).toHaveLength(2)
  const id = await sessionOf('one.bin')
  const shown = await runJson('sessions', 'show', id, ...settings)
  expect(shown.value).toMatchObject({ id, status: 'processed', filename: 'one.bin', bytes: 1000 })
  expect(Object.keys(shown.value)).not.toContain('upload')
  const text = await runCommand('sessions', 'show', id, ...settings)
  expect(text.out).toContain(`Session    ${id}\nStatus     processed\nFile       one.bin\n`)
  const missingSession = await runJson('sessions', 'show', 'ses_none', ...settings)
  expect(missingSession).toMatchObject({ code: 1, value: { error: { exit_code: 1 } } })
  expect(missingSession.value.error.message).toContain('The service does not have this session')
})

test('`status --check` exits with 2 if something needs attention; without `--check`, it exits with 0', async () => {
  expect((await runCommand('status', '--check')).code).toBe(0)
  writeFileSync(pathOf('empty.bin'), '')
  expect(await station.runToIdle()).toBe(2)
  expect((await runCommand('status')).code).toBe(0)
  expect((await runCommand('status', '--check')).code).toBe(2)
})

test('`export` writes recordings as CSV and JSON, and settings without secrets', async () => {
  const out = path.join(station.root, 'recordings.csv')
  expect((await runCommand('export', 'recordings', '--out', out)).code).toBe(0)
  const [head, ...rows] = readFileSync(out, 'utf8').trim().split('\r\n')
  expect(head).toContain('path,site,device,standing,state,bytes')
  expect(rows).toHaveLength(4)
  expect((await runJson('export', 'recordings')).value.recordings).toHaveLength(4)
  const secondExport = await runCommand('export', 'recordings', '--out', out)
  expect(secondExport).toMatchObject({ code: 1, err: expect.stringContaining('already exists') })

  station.configure({ service: { proxy: 'http://me:hush@127.0.0.1:3128' } })
  const exported = await runCommand('export', 'settings', ...settings)
  expect(JSON.parse(exported.out)).toMatchObject({ folders: [{ site: 'lab' }] })
  for (const secret of ['hush', station.sandbox.keys.write]) expect(exported.out).not.toContain(secret)
  const shown = await runJson('settings', 'show', ...settings)
  expect(shown.value).toMatchObject({ own_file: station.settingsFile, managed_file: null, managed: [] })
  station.configure()
})

test('`settings check` uses the window’s sentences and shows the line of each error', async () => {
  const file = path.join(station.root, 'wrong.json')
  const check = async (text: string, ...extraArgs: string[]) => {
    writeFileSync(file, text)
    const { code, out } = await sluice('settings', 'check', file, '--json', ...extraArgs)
    return { code, ...JSON.parse(out) }
  }
  expect(await check('{\n  "folders": [\n    { "path": "takes", "site": "Hall 3" }\n  ]\n}')).toEqual({
    code: 1,
    file,
    usable: false,
    faults: [
      {
        line: 3,
        column: 7,
        sentence: 'folders[0].path: Give the full path, starting at the root of the drive.',
      },
    ],
  })
  expect(await check('{\n  "folders": [{ "path": "/a", "site": "" }]\n}')).toMatchObject({
    code: 1,
    faults: [{ line: 2, sentence: expect.stringContaining('This is required.') }],
  })
  expect(await check('{ "folders": [] }')).toMatchObject({ code: 0, usable: true, faults: [] })
  const managed = await check('{ "transfer": { "parallel_parts": 0 } }', '--as-managed')
  expect(managed).toMatchObject({ code: 1, usable: false })
  expect(managed.faults[0].sentence).toContain('transfer.parallel_parts: Use 1 or more.')
})

test('`verify` waits as long as the service requests, then continues', async () => {
  const receipt = path.join(station.root, 'waits.json')
  await runCommand('receipt', '--path', pathOf('one.bin'), '--out', receipt)
  await station.fault({
    route: 'retrieve',
    count: 1,
    effect: { kind: 'status', status: 429, retry_after_s: 1 },
  })
  const verified = await runJson('verify', receipt, '--service-only', ...settings)
  expect(verified.err).toContain('The service asks to wait 1 s. Sluice then retries.')
  expect(verified).toMatchObject({ code: 0, value: { agrees: 1, unchecked: 0 } })
})

test('`logs` filters its lines by text and level', async () => {
  const allLines = (await runJson('logs', '--most', '1000')).value.lines
  expect(allLines.length).toBeGreaterThan(5)
  const filteredLines = (await runJson('logs', '--most', '1000', '--text', 'recording=1')).value.lines
  expect(filteredLines.length).toBeGreaterThan(0)
  expect(filteredLines.every((line: { recording_id: number }) => line.recording_id === 1)).toBe(true)
  expect((await runJson('logs', '--level', 'error')).value).toEqual({ lines: [] })
})

test('`pause --for` reports when the pause ends, and `resume` ends it earlier', async () => {
  const paused = await runJson('pause', '--for', '2h')
  const remainingMs = Date.parse(paused.value.paused_until) - Date.now()
  expect(remainingMs).toBeGreaterThan(7_000_000)
  expect(remainingMs).toBeLessThanOrEqual(7_200_000)
  expect((await runJson('resume')).value).toEqual({ paused: false, was_paused: true })
  expect((await runCommand('resume')).out).toBe('Uploads were not paused.\n')
})

test(
  'without a terminal, `status --watch` prints a line per change and stops on a signal',
  needs(posix),
  async () => {
    const args = ['status', '--watch', '--data', station.data]
    const child = spawn(process.execPath, [agentProgram, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
    let out = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text
    })
    await until('the headline is printed', () => out.includes('1 recording needs you'))
    await runCommand('pause')
    await runCommand('retry', pathOf('two.bin'))
    await until('the change is printed', () => /Paused by you(?:, nothing uploads| since [\w: ]+)/.test(out))
    child.kill('SIGINT')
    expect(await once(child, 'close')).toEqual([0, null])
    // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal escape codes
    expect(out).not.toMatch(/\u001b/)
    expect(out.match(/1 recording needs you/g)).toHaveLength(1)
    await runCommand('resume')
  },
)

test(
  'in a terminal, `status --watch` redraws in place and fits the screen, and the key q quits',
  needs(posix, program('script')),
  async () => {
    const command = `stty cols 80 rows 24; '${process.execPath}' '${agentProgram}' status --watch --data '${station.data}'`
    const child = spawn('script', ['-qfec', command, '/dev/null'], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, NO_COLOR: '1' },
    })
    let out = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text
    })
    await until('the command has drawn twice', () => out.split('\u001b[H').length > 2)
    child.stdin.write('q')
    expect((await once(child, 'close'))[0]).toBe(0)
    const [intro = '', frame = ''] = out.split('\u001b[H')
    expect(intro).toContain('\u001b[?1049h')
    expect(out).toContain('\u001b[?1049l')
    const lines =
      frame
        .split('\u001b[J')[0]
        ?.split('\n')
        .map((line) => line.replace('\u001b[K', '').trimEnd()) ?? []
    expect(lines.length).toBeLessThanOrEqual(24)
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes
    expect(frame).not.toMatch(/\u001b\[\d+m/)
    expect(lines.at(-1)).toContain('q to quit')
  },
)

test('suggests the likely command after a typing error, even with --json', async () => {
  const result = await station.command('stauts', '--json')
  expect(result.code).toBe(1)
  expect(JSON.parse(result.out)).toMatchObject({ error: { exit_code: 1 } })
  expect(result.err).toContain('sluice: Unknown command "stauts". Did you mean “status”?')
})
