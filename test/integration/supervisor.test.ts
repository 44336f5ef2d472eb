import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Supervisor } from '../../main/supervisor/supervisor.ts'
import type { FromAgent, ToAgent } from '../../shared/ipc/agent-protocol.ts'
import type { AgentHealth } from '../../shared/ipc/ipc.ts'
import { settingsSchema } from '../../shared/settings/settings.ts'
import { until } from '../support/station.ts'
import { forkUtility } from '../support/utility-process.ts'

// The agents are real processes, but Electron does not start them.
vi.mock('electron', () => import('../stand-in/electron.ts'))

const entry = path.join(import.meta.dirname, '../support/scripted-agent.ts')
const pingPolicy = { intervalMs: 250, timeoutMs: 5_000 }

let base: string
let messages: string[]
let healths: AgentHealth[]
let folder: string
let lookUps: { readonly key: string; readonly answer: () => void }[]
let key: string
let supervisor: Supervisor

const supervise = (options: Partial<ConstructorParameters<typeof Supervisor>[0]> = {}): void => {
  supervisor = new Supervisor({
    locale: 'en-GB',
    entry,
    appDataFolder: base,
    dataFolder: () => folder,
    // Like the app: takes the settings at once, then waits for the system’s proxy look-up.
    configuration: async () => {
      const apiKey = key
      await new Promise<void>((answer) => lookUps.push({ key: apiKey, answer }))
      return {
        kind: 'configure',
        settings: null,
        apiKey,
        systemProxy: { kind: 'direct' },
        managedProblem: null,
      }
    },
    ...options,
  })
  supervisor.on('log', (text) => messages.push(...text.split('\n')))
  supervisor.on('health', (health) => healths.push(health))
  supervisor.start()
}

beforeEach(() => {
  base = mkdtempSync(path.join(tmpdir(), 'sluice-supervisor-'))
  messages = []
  healths = []
  lookUps = []
  folder = path.join(base, 'real')
  key = 'key 0'
})
afterEach(async () => {
  await supervisor?.stop()
  rmSync(base, { recursive: true, force: true })
})

const count = (line: string) => messages.filter((one) => one === line).length
const lineComes = (line: string) => until(line, () => count(line) > 0)
const answerAll = () => {
  for (const { answer } of lookUps.splice(0)) answer()
}
const lookUpOf = (wanted: string) =>
  until(`the look-up of ${wanted}`, () => lookUps.find((lookUp) => lookUp.key === wanted))

test('the agent gets the latest settings, however late an earlier proxy look-up ends', async () => {
  supervise()
  const first = await lookUpOf('key 0')
  key = 'key 1'
  const second = supervisor.configure()
  key = 'key 2'
  const third = supervisor.configure()
  ;(await lookUpOf('key 2')).answer()
  await third
  ;(await lookUpOf('key 1')).answer()
  first.answer()
  await second
  await lineComes(`configured key 2 in ${folder}`)
  // Messages arrive in order. Once key 3 is configured, a stale key 0 or key 1 would already be in the log.
  key = 'key 3'
  const last = supervisor.configure()
  ;(await lookUpOf('key 3')).answer()
  await last
  await lineComes(`configured key 3 in ${folder}`)
  expect(messages.filter((line) => line.startsWith('configured'))).toEqual([
    `configured key 2 in ${folder}`,
    `configured key 3 in ${folder}`,
  ])
})

test('a restarted agent receives no settings older than its start', async () => {
  supervise()
  const early = await lookUpOf('key 0')
  process.kill(supervisor.pid ?? Number.NaN, 'SIGKILL')
  key = 'key 1'
  ;(await lookUpOf('key 1')).answer()
  await lineComes(`configured key 1 in ${folder}`)
  early.answer()
  key = 'key 2'
  const last = supervisor.configure()
  ;(await lookUpOf('key 2')).answer()
  await last
  await lineComes(`configured key 2 in ${folder}`)
  expect(count(`configured key 0 in ${folder}`)).toBe(0)
})

test('after several changes of the data folder, the agent restarts once, in the last folder', async () => {
  supervise()
  const early = await lookUpOf('key 0')
  const real = folder
  const tryOut = path.join(base, 'try-out')
  for (const next of [tryOut, real, tryOut, real, tryOut]) {
    folder = next
    key = `key of ${next}`
    void supervisor.configure()
  }
  early.answer()
  await lineComes(`started in ${tryOut}`)
  await lookUpOf(`key of ${tryOut}`)
  answerAll()
  await lineComes(`configured key of ${tryOut} in ${tryOut}`)
  expect(messages.filter((line) => /^(started|shut down|configured)/.test(line))).toEqual([
    `started in ${real}`,
    `shut down in ${real}`,
    `started in ${tryOut}`,
    `configured key of ${tryOut} in ${tryOut}`,
  ])
  expect(supervisor.health).toEqual({ state: 'running', restarts: 0 })
})

test('ends and restarts an agent that no longer answers, and reports why', async () => {
  supervise({ pingPolicy })
  await lineComes(`started in ${folder}`)
  const { pid } = supervisor
  writeFileSync(`${folder}.blocked`, '')
  await lineComes(`blocked in ${folder}`)
  rmSync(`${folder}.blocked`)
  await until('the agent runs again', () => supervisor.health.state === 'running' && supervisor.pid !== pid)
  expect(healths).toContainEqual({
    state: 'restarting',
    restarts: 1,
    trouble: 'The agent stopped responding and is restarting.',
  })
  expect(messages.some((line) => line.startsWith('agent has not answered for'))).toBe(true)
})

const startAgent = async () => {
  const agent = forkUtility(path.join(import.meta.dirname, '../../main/agent/process.ts'), [
    '--data',
    folder,
    '--log',
    base,
  ])
  const received: FromAgent[] = []
  agent.on('message', (message: FromAgent) => received.push(message))
  const comes = <K extends FromAgent['kind']>(kind: K) =>
    until(`the agent sends ${kind}`, () =>
      received.find((message): message is Extract<FromAgent, { kind: K }> => message.kind === kind),
    )
  await comes('ready')
  const send = (message: ToAgent) => agent.postMessage(message)
  const end = async () => {
    const ended = once(agent, 'exit')
    send({ kind: 'shutdown' })
    await ended
  }
  return { received, comes, send, end }
}

test('the agent itself answers the supervisor’s probe', async () => {
  const agent = await startAgent()
  agent.send({ kind: 'ping' })
  await agent.comes('pong')
  await agent.end()
})

test('the agent sends no snapshot before it has its settings', async () => {
  const agent = await startAgent()
  // These two calls take two turns of the agent’s event loop. By then the journal contains the agent’s start.
  agent.send({ kind: 'call', id: 1, name: 'pause', args: { until: null } })
  await agent.comes('answer')
  agent.send({ kind: 'ping' })
  await agent.comes('pong')
  expect(agent.received.map(({ kind }) => kind)).not.toContain('status')
  agent.send({
    kind: 'configure',
    managedProblem: null,
    settings: settingsSchema.parse({
      service: { base_url: 'http://127.0.0.1:1' },
      folders: [{ path: base, site: 'lab' }],
    }),
    apiKey: null,
    systemProxy: { kind: 'unknown' },
    webhookSecrets: [],
  })
  expect((await agent.comes('status')).status.folders).toHaveLength(1)
  await agent.end()
})
