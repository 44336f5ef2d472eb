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
import { collectOutput } from '../support/child-end.ts'
import { readJournal } from '../support/journal-file.ts'
import { needs, root } from '../support/needs.ts'
import { agentProgram } from '../support/programs.ts'
import { AgentProcess, Station, until } from '../support/station.ts'

/** A service with its own user, and an administrator who runs commands as root. */

const SERVICE = 65534
const STRANGER = 65533
const isRoot = needs(root)

/**
 * Node may be installed where the service's user cannot execute it, so the process starts as root and drops its
 * privileges at once.
 */
const runAsUser = (id: number): Readonly<Record<string, string>> => {
  const dropPrivileges = `try { process.setgroups([]); process.setgid(${id}); process.setuid(${id}) } catch {}`
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(dropPrivileges)}` }
}

let station: Station
afterEach(() => station.close())

/** Settings and key belong to root, and the service's group may read them. */
const shareWithService = (file: string) => {
  chownSync(file, 0, SERVICE)
  chmodSync(file, 0o640)
}

const configure = (rest: object, folder: object) => {
  const service = { api_key: undefined, api_key_file: path.join(station.root, 'key') }
  station.configure({ service, folder, rest })
  shareWithService(station.settingsFile)
}

const openStation = async (rest: object = {}, folder: object = {}) => {
  station = await Station.openLive()
  chmodSync(station.root, 0o755)
  const key = path.join(station.root, 'key')
  writeFileSync(key, station.sandbox.keys.live)
  shareWithService(key)
  configure(rest, folder)
  mkdirSync(station.data)
  chownSync(station.data, SERVICE, SERVICE)
}

const runService = (...flags: readonly string[]) =>
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
  return {
    code,
    checked_as,
    findingOf: (subject: string) => findings.find((finding) => finding.subject === subject),
  }
}

test(
  'a settings file with mode 0640 works with --settings, --managed and settings check, even if it contains monitoring secrets',
  isRoot,
  async () => {
    await openStation({ monitoring })
    writeFileSync(path.join(station.recordings, 'take.bin'), 'content', { mode: 0o644 })
    expect(await runService('--until-idle').ended).toBe(0)

    const check = await station.sluice('settings', 'check', '--as-managed', station.settingsFile)
    expect(check.err).toContain('takes no --data')
    for (const flags of [[], ['--as-managed']]) {
      const args = [agentProgram, 'settings', 'check', ...flags, station.settingsFile]
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
      expect(await collectOutput(child)).toMatchObject({ code: 0, err: '' })
    }
    const list = await station.sluice('sessions', 'list', '--settings', station.settingsFile)
    expect(list).toMatchObject({ code: 0, err: '' })
  },
)

test("files that root's commands write into the data folder belong to its owner", isRoot, async () => {
  await openStation()
  expect(await runService('--until-idle').ended).toBe(0)
  const registered = await station.sluice(
    'webhook',
    'https://hooks.example.com/webhooks',
    '--settings',
    station.settingsFile,
  )
  expect(registered.code).toBe(0)
  for (const command of ['pause', 'resume']) expect((await station.sluice(command)).code).toBe(0)
  const fileNames = [...readdirSync(station.data, { recursive: true })].map(String)
  expect(fileNames).toContain('webhooks.json')
  const foreignFiles = fileNames.filter((name) => statSync(path.join(station.data, name)).uid !== SERVICE)
  expect(foreignFiles).toEqual([])

  const agent = runService('--until-idle')
  expect(await agent.ended).toBe(0)
  expect(agent.stderr).not.toContain('webhooks.json')
})

test("the target of a link planted by the service's user keeps its owner", isRoot, async () => {
  await openStation()
  expect(await runService('--until-idle').ended).toBe(0)
  const victim = path.join(station.root, 'victim')
  writeFileSync(victim, 'root’s own')
  symlinkSync(victim, path.join(station.data, 'settings.soft'))
  linkSync(victim, path.join(station.data, 'settings.hard'))
  expect((await station.sluice('pause')).code).toBe(0)
  expect(statSync(victim).uid).toBe(0)
})

test('root does not use managed settings that the service’s user could have written', isRoot, async () => {
  await openStation()
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
  const storedCopy = path.join(station.data, 'settings.managed.json')
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  writeFileSync(storedCopy, JSON.stringify({ service: { base_url, api_key_file: token } }), { mode: 0o600 })
  const missingFlags = ['--managed', path.join(station.root, 'missing.json')]
  for (const owner of [SERVICE, 0]) {
    chownSync(storedCopy, owner, owner)
    expect(await station.sluice('sessions', 'list', ...missingFlags)).toMatchObject({ code: 1 })
  }
  // The data folder now belongs to root, but the service's user wrote the file into it earlier.
  chownSync(station.data, 0, 0)
  chownSync(storedCopy, SERVICE, SERVICE)
  expect(await station.sluice('sessions', 'list', ...missingFlags)).toMatchObject({ code: 1 })
  expect(receivedKeys).toEqual([])
})

test('doctor, when run as root, checks with the permissions of the service’s user', isRoot, async () => {
  await openStation()
  expect(await runService('--until-idle').ended).toBe(0)
  const healthy = await doctor()
  expect(healthy).toMatchObject({ code: 0, checked_as: expect.stringMatching(/\w/) })

  mkdirSync(path.join(station.recordings, 'hall-3'))
  const unreadableFile = path.join(station.recordings, 'hall-3', 'take.bin')
  writeFileSync(unreadableFile, 'content', { mode: 0o600 })
  const report = await doctor()
  expect(report.code).toBe(1)
  expect(report.findingOf(station.recordings)).toMatchObject({
    verdict: 'fail',
    sentence: `Something in it cannot be read: ${unreadableFile} (permission denied).`,
  })

  chmodSync(path.join(station.root, 'key'), 0o600)
  expect((await doctor()).findingOf('Service and key')).toMatchObject({
    verdict: 'fail',
    sentence: expect.stringContaining('may not read'),
  })
})

test(
  'a command without permission to read a file reports the missing permission, not a missing file',
  isRoot,
  async () => {
    await openStation()
    writeFileSync(path.join(station.recordings, 'take.bin'), 'content', { mode: 0o644 })
    expect(await runService('--until-idle').ended).toBe(0)
    /** A user who is neither root nor the service. */
    const runAsStranger = (...args: readonly string[]) =>
      collectOutput(
        spawn(process.execPath, [agentProgram, ...args], {
          stdio: ['ignore', 'pipe', 'pipe'],
          env: { ...process.env, ...runAsUser(STRANGER) },
        }),
      )
    const errorOf = async (...args: readonly string[]) => (await runAsStranger(...args)).err
    const data = ['--data', station.data] as const
    expect(await errorOf('status', ...data)).toMatch(
      /may not read .*journal\.db \(permission denied\).*need a running agent, and no agent answers/,
    )
    expect(await errorOf('settings', 'show', ...data)).toMatch(
      /may not read .*settings\.json \(permission denied\)/,
    )
    const strangerData = path.join(station.root, 'stranger')
    mkdirSync(strangerData)
    chownSync(strangerData, STRANGER, STRANGER)
    const managed = ['--managed', station.settingsFile, '--data', strangerData] as const
    expect(await errorOf('run', ...managed, '--until-idle')).toMatch(
      /may not read .*settings\.json \(permission denied\)/,
    )
    // Now the stranger can read the settings, but not the key.
    chmodSync(station.settingsFile, 0o644)
    const sessions = await errorOf(
      'sessions',
      'list',
      '--settings',
      station.settingsFile,
      '--data',
      strangerData,
    )
    expect(sessions).toMatch(/may not read .*key \(permission denied\)/)
  },
)

const DELETE = { after_upload: { action: 'delete', days: 0 } }

test(
  'does not remove a file that another user’s recorder still has open, so late writes are not lost',
  isRoot,
  async () => {
    await openStation()
    chmodSync(station.recordings, 0o777)
    const [foreignFile, ownFile] = ['foreign.bin', 'own.bin'].map((name) =>
      path.join(station.recordings, name),
    ) as [string, string]
    // Sluice removes `own.bin` first, so it knows the upload service's time when it considers `foreign.bin`.
    writeFileSync(ownFile, 'a closed file of the service’s own user')
    chownSync(ownFile, SERVICE, SERVICE)
    expect(await runService('--until-idle').ended).toBe(0)
    // The test itself, as root, is the recorder.
    const recorder = openSync(foreignFile, 'a', 0o644)
    writeSync(recorder, 'first')
    expect(await runService('--until-idle').ended).toBe(0)
    configure({}, DELETE)
    const agent = runService()
    onTestFinished(() => void agent.kill('SIGKILL'))
    await until('the file without a writer is removed', () => !existsSync(ownFile))
    const isWaiting = () =>
      readJournal<{ waits: string }>(station.data, 'SELECT waits FROM removals').some(
        ({ waits }) => waits === 'writer-unseen',
      )
    await until('the file with a writer was considered', () => isWaiting() || !existsSync(foreignFile))
    writeSync(recorder, ', late')
    closeSync(recorder)
    expect(readFileSync(foreignFile, 'utf8')).toBe('first, late')
  },
)

test(
  'if rules remove files, doctor warns that it cannot see writers that run as other users',
  isRoot,
  async () => {
    await openStation({}, DELETE)
    expect(await runService('--until-idle').ended).toBe(0)
    expect((await doctor()).findingOf('Open files')).toMatchObject({
      verdict: 'warn',
      sentence: expect.stringContaining('cannot see'),
    })
    await station.close()
    await openStation()
    expect(await runService('--until-idle').ended).toBe(0)
    expect((await doctor()).findingOf('Open files')).toBeUndefined()
  },
)
