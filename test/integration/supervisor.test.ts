import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Supervisor } from '../../main/supervisor/supervisor.ts'
import type { AgentHealth } from '../../shared/ipc/agent-health.ts'
import type { FromAgent, ToAgent } from '../../shared/ipc/agent-protocol.ts'
import { settingsSchema } from '../../shared/settings/settings.ts'
import { until } from '../support/station.ts'
import { forkUtility } from '../support/utility-process.ts'

// The agents are real processes, but Electron does not start them.
vi.mock('electron', () => import('../stand-in/electron.ts'))

const entry = path.join(import.meta.dirname, '../support/scripted-agent.ts')
const pingPolicy = { intervalMs: 250, timeoutMs: 5_000 }

let base: string
let messages: string[]
let healthChanges: AgentHealth[]
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
    // Like the app, reads the settings at once, and then waits for the system’s proxy look-up.
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
  supervisor.on('health', (health) => healthChanges.push(health))
  supervisor.start()
}

beforeEach(() => {
  base = mkdtempSync(path.join(tmpdir(), 'sluice-supervisor-'))
  messages = []
  healthChanges = []
  lookUps = []
  folder = path.join(base, 'real')
  key = 'key 0'
})
afterEach(async () => {
  await supervisor?.stop()
  rmSync(base, { recursive: true, force: true })
})

const countLines = (line: string) => messages.filter((message) => message === line).length
const waitForLine = (line: string) => until(line, () => countLines(line) > 0)
const answerAll = () => {
  for (const { answer } of lookUps.splice(0)) answer()
}
const waitForLookUp = (wantedKey: string) =>
  until(`the look-up of ${wantedKey}`, () => lookUps.find((lookUp) => lookUp.key === wantedKey))

test('the agent gets the latest settings, however late an earlier proxy look-up ends', async () => {
  supervise()
  const firstLookUp = await waitForLookUp('key 0')
  key = 'key 1'
  const second = supervisor.configure()
  key = 'key 2'
  const third = supervisor.configure()
  ;(await waitForLookUp('key 2')).answer()
  await third
  ;(await waitForLookUp('key 1')).answer()
  firstLookUp.answer()
  await second
  await waitForLine(`configured key 2 in ${folder}`)
  // Messages arrive in order. Once key 3 is configured, a stale key 0 or key 1 would already be in the log.
  key = 'key 3'
  const last = supervisor.configure()
  ;(await waitForLookUp('key 3')).answer()
  await last
  await waitForLine(`configured key 3 in ${folder}`)
  expect(messages.filter((line) => line.startsWith('configured'))).toEqual([
    `configured key 2 in ${folder}`,
    `configured key 3 in ${folder}`,
  ])
})

test('a restarted agent receives no outdated settings', async () => {
  supervise()
  const earlyLookUp = await waitForLookUp('key 0')
  process.kill(supervisor.pid ?? Number.NaN, 'SIGKILL')
  key = 'key 1'
  ;(await waitForLookUp('key 1')).answer()
  await waitForLine(`configured key 1 in ${folder}`)
  earlyLookUp.answer()
  key = 'key 2'
  const last = supervisor.configure()
  ;(await waitForLookUp('key 2')).answer()
  await last
  await waitForLine(`configured key 2 in ${folder}`)
  expect(countLines(`configured key 0 in ${folder}`)).toBe(0)
})

test('after several changes of the data folder, the agent restarts once, in the last folder', async () => {
  supervise()
  const earlyLookUp = await waitForLookUp('key 0')
  const realFolder = folder
  const tryOut = path.join(base, 'try-out')
  for (const next of [tryOut, realFolder, tryOut, realFolder, tryOut]) {
    folder = next
    key = `key of ${next}`
    void supervisor.configure()
  }
  earlyLookUp.answer()
  await waitForLine(`started in ${tryOut}`)
  await waitForLookUp(`key of ${tryOut}`)
  answerAll()
  await waitForLine(`configured key of ${tryOut} in ${tryOut}`)
  expect(messages.filter((line) => /^(started|shut down|configured)/.test(line))).toEqual([
    `started in ${realFolder}`,
    `shut down in ${realFolder}`,
    `started in ${tryOut}`,
    `configured key of ${tryOut} in ${tryOut}`,
  ])
  expect(supervisor.health).toEqual({ state: 'running', restarts: 0 })
})

test('ends and restarts an agent that no longer answers, and reports why', async () => {
  supervise({ pingPolicy })
  await waitForLine(`started in ${folder}`)
  const { pid } = supervisor
  writeFileSync(`${folder}.blocked`, '')
  await waitForLine(`blocked in ${folder}`)
  rmSync(`${folder}.blocked`)
  await until('the agent runs again', () => supervisor.health.state === 'running' && supervisor.pid !== pid)
  expect(healthChanges).toContainEqual({
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
  const receivedMessages: FromAgent[] = []
  agent.on('message', (message: FromAgent) => receivedMessages.push(message))
  const waitForMessage = <K extends FromAgent['kind']>(kind: K) =>
    until(`the agent sends ${kind}`, () =>
      receivedMessages.find((message): message is Extract<FromAgent, { kind: K }> => message.kind === kind),
    )
  await waitForMessage('ready')
  const send = (message: ToAgent) => agent.postMessage(message)
  const end = async () => {
    const exited = once(agent, 'exit')
    send({ kind: 'shutdown' })
    await exited
  }
  return { receivedMessages, waitForMessage, send, end }
}

test('the real agent process answers the supervisor’s ping', async () => {
  const agent = await startAgent()
  agent.send({ kind: 'ping' })
  await agent.waitForMessage('pong')
  await agent.end()
})

test('the agent sends no status before it has its settings', async () => {
  const agent = await startAgent()
  // The pause changes the journal, so an agent with settings would send its status before the pong.
  agent.send({ kind: 'call', id: 1, name: 'pause', args: { until: null } })
  await agent.waitForMessage('answer')
  agent.send({ kind: 'ping' })
  await agent.waitForMessage('pong')
  expect(agent.receivedMessages.map(({ kind }) => kind)).not.toContain('status')
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
  expect((await agent.waitForMessage('status')).status.folders).toHaveLength(1)
  await agent.end()
})
