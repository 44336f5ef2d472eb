import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import type { Finding } from '../../shared/ipc/station-check.ts'
import { outputAtExit } from '../support/child-end.ts'
import { readJournal } from '../support/journal-file.ts'
import { needs, root } from '../support/needs.ts'
import { agentProgram } from '../support/programs.ts'
import { AgentProcess, Station, until } from '../support/station.ts'

/** A service with its own user, and an administrator who runs commands as root. */

const SERVICE = 65534
const STRANGER = 65533
const isRoot = needs(root)

/** That user may be unable to start Node from this path, so the process starts as root and drops its rights at once. */
const runAsUser = (id: number): Readonly<Record<string, string>> => {
  const drop = `try { process.setgroups([]); process.setgid(${id}); process.setuid(${id}) } catch {}`
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(drop)}` }
}

let station: Station
afterEach(() => station.close())

/** Settings and key belong to root, and the service's group may read them. */
const forService = (file: string) => {
  chownSync(file, 0, SERVICE)
  chmodSync(file, 0o640)
}

const configure = (rest: object, folder: object) => {
  const service = { api_key: undefined, api_key_file: path.join(station.root, 'key') }
  station.configure({ service, folder, rest })
  forService(station.settingsFile)
}

const open = async (rest: object = {}, folder: object = {}) => {
  station = await Station.openLive()
  chmodSync(station.root, 0o755)
  const key = path.join(station.root, 'key')
  writeFileSync(key, station.sandbox.keys.live)
  forService(key)
  configure(rest, folder)
  mkdirSync(station.data)
  chownSync(station.data, SERVICE, SERVICE)
}

const service = (...flags: readonly string[]) =>
  new AgentProcess(['run', '--managed', station.settingsFile, '--data', station.data, '--json', ...flags], {
    env: runAsUser(SERVICE),
  })

const monitoring = {
  heartbeat_url: 'http://127.0.0.1:1/ping/station-7',
  alert_url: 'http://127.0.0.1:1/hooks/alerts',
}

type Doctor = { readonly checked_as: string | null; readonly findings: readonly Finding[] }
const doctor = async () => {
  const { code, out, err } = await station.command('doctor', '--settings', station.settingsFile, '--json')
  if (out === '') throw new Error(`doctor printed nothing: ${err}`)
  const { checked_as, findings } = JSON.parse(out) as Doctor
  return { code, checked_as, of: (subject: string) => findings.find((each) => each.subject === subject) }
}

test(
  'one file mode suits --settings, managed settings and the service, even with monitoring secrets',
  isRoot,
  async () => {
    await open({ monitoring })
    writeFileSync(path.join(station.recordings, 'take.bin'), 'content', { mode: 0o644 })
    expect(await service('--until-idle').ended).toBe(0)

    const check = await station.sluice('settings', 'check', '--as-managed', station.settingsFile)
    expect(check.err).toContain('takes no --data')
    for (const flags of [[], ['--as-managed']]) {
      const args = [agentProgram, 'settings', 'check', ...flags, station.settingsFile]
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
      expect(await outputAtExit(child)).toMatchObject({ code: 0, err: '' })
    }
    const list = await station.sluice('sessions', 'list', '--settings', station.settingsFile)
    expect(list).toMatchObject({ code: 0, err: '' })
  },
)

test("files that root's commands write into the data folder belong to its owner", isRoot, async () => {
  await open()
  expect(await service('--until-idle').ended).toBe(0)
  const registered = await station.sluice(
    'webhook',
    'https://hooks.example.com/webhooks',
    '--settings',
    station.settingsFile,
  )
  expect(registered.code).toBe(0)
  for (const command of ['pause', 'resume']) expect((await station.sluice(command)).code).toBe(0)
  const inside = [...readdirSync(station.data, { recursive: true })].map(String)
  expect(inside).toContain('webhooks.json')
  const foreign = inside.filter((name) => statSync(path.join(station.data, name)).uid !== SERVICE)
  expect(foreign).toEqual([])

  const agent = service('--until-idle')
  expect(await agent.ended).toBe(0)
  expect(agent.stderr).not.toContain('webhooks.json')
})

test("the target of a link planted by the service's user keeps its owner", isRoot, async () => {
  await open()
  expect(await service('--until-idle').ended).toBe(0)
  const victim = path.join(station.root, 'victim')
  writeFileSync(victim, 'root’s own')
  symlinkSync(victim, path.join(station.data, 'settings.soft'))
  linkSync(victim, path.join(station.data, 'settings.hard'))
  expect((await station.sluice('pause')).code).toBe(0)
  expect(statSync(victim).uid).toBe(0)
})

test('root does not use managed settings that the service’s user could have written', isRoot, async () => {
  await open()
  const token = path.join(station.root, 'root-token')
  writeFileSync(token, 'token_of_root', { mode: 0o600 })
  const receivedKeys: (string | undefined)[] = []
  const server = createServer((request, response) => {
    receivedKeys.push(request.headers.authorization)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ object: 'list', data: [], has_more: false, next_cursor: null }))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const kept = path.join(station.data, 'settings.managed.json')
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  writeFileSync(kept, JSON.stringify({ service: { base_url, api_key_file: token } }), { mode: 0o600 })
  const missing = ['--managed', path.join(station.root, 'missing.json')]
  for (const owner of [SERVICE, 0]) {
    chownSync(kept, owner, owner)
    expect(await station.sluice('sessions', 'list', ...missing)).toMatchObject({ code: 1 })
  }
  // A data folder of root's own, in which the service's user once wrote the file.
  chownSync(station.data, 0, 0)
  chownSync(kept, SERVICE, SERVICE)
  expect(await station.sluice('sessions', 'list', ...missing)).toMatchObject({ code: 1 })
  expect(receivedKeys).toEqual([])
})

test('doctor as root checks with the rights of the service’s user', isRoot, async () => {
  await open()
  expect(await service('--until-idle').ended).toBe(0)
  const well = await doctor()
  expect(well).toMatchObject({ code: 0, checked_as: expect.stringMatching(/\w/) })

  mkdirSync(path.join(station.recordings, 'hall-3'))
  const closed = path.join(station.recordings, 'hall-3', 'take.bin')
  writeFileSync(closed, 'content', { mode: 0o600 })
  const found = await doctor()
  expect(found.code).toBe(1)
  expect(found.of(station.recordings)).toMatchObject({
    verdict: 'fail',
    sentence: `Something in it cannot be read: ${closed} (permission denied).`,
  })

  chmodSync(path.join(station.root, 'key'), 0o600)
  expect((await doctor()).of('Service and key')).toMatchObject({
    verdict: 'fail',
    sentence: expect.stringContaining('may not read'),
  })
})

test('reports a file that it may not read as missing rights, not as a missing file', isRoot, async () => {
  await open()
  writeFileSync(path.join(station.recordings, 'take.bin'), 'content', { mode: 0o644 })
  expect(await service('--until-idle').ended).toBe(0)
  /** A user who is neither root nor the service. */
  const stranger = (...args: readonly string[]) =>
    outputAtExit(
      spawn(process.execPath, [agentProgram, ...args], {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, ...runAsUser(STRANGER) },
      }),
    )
  const errorOf = async (...args: readonly string[]) => (await stranger(...args)).err
  const data = ['--data', station.data] as const
  expect(await errorOf('status', ...data)).toMatch(/may not read .*journal\.db \(permission denied\)/)
  expect(await errorOf('settings', 'show', ...data)).toMatch(
    /may not read .*settings\.json \(permission denied\)/,
  )
  const own = path.join(station.root, 'stranger')
  mkdirSync(own)
  chownSync(own, STRANGER, STRANGER)
  const managed = ['--managed', station.settingsFile, '--data', own] as const
  expect(await errorOf('run', ...managed, '--until-idle')).toMatch(
    /may not read .*settings\.json \(permission denied\)/,
  )
  // The settings are readable, the key is not.
  chmodSync(station.settingsFile, 0o644)
  const sessions = await errorOf('sessions', 'list', '--settings', station.settingsFile, '--data', own)
  expect(sessions).toMatch(/may not read .*key \(permission denied\)/)
})

const DELETE = { after_upload: { action: 'delete', days: 0 } }

test('keeps a file that a recorder of another user has open, including late writes', isRoot, async () => {
  await open()
  chmodSync(station.recordings, 0o777)
  const [foreign, own] = ['foreign.bin', 'own.bin'].map((name) => path.join(station.recordings, name)) as [
    string,
    string,
  ]
  // Sluice processes this file first, so it removes this file first. It then considers the other file when it knows the
  // service's clock.
  writeFileSync(own, 'a closed file of the service’s own user')
  chownSync(own, SERVICE, SERVICE)
  expect(await service('--until-idle').ended).toBe(0)
  // This process, which runs as root, plays the recorder.
  const recorder = openSync(foreign, 'a', 0o644)
  writeSync(recorder, 'first')
  expect(await service('--until-idle').ended).toBe(0)
  configure({}, DELETE)
  const agent = service()
  onTestFinished(() => void agent.kill('SIGKILL'))
  await until('the file without a writer is removed', () => !existsSync(own))
  const isWaiting = () =>
    readJournal<{ waits: string }>(station.data, 'SELECT waits FROM removals').some(
      ({ waits }) => waits === 'writer-unseen',
    )
  await until('the other file was considered', () => isWaiting() || !existsSync(foreign))
  writeSync(recorder, ', late')
  closeSync(recorder)
  expect(readFileSync(foreign, 'utf8')).toBe('first, late')
})

test('doctor warns that writers of other users are invisible if rules remove files', isRoot, async () => {
  await open({}, DELETE)
  expect(await service('--until-idle').ended).toBe(0)
  expect((await doctor()).of('Open files')).toMatchObject({
    verdict: 'warn',
    sentence: expect.stringContaining('cannot see'),
  })
  await station.close()
  await open()
  expect(await service('--until-idle').ended).toBe(0)
  expect((await doctor()).of('Open files')).toBeUndefined()
})
