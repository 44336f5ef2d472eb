import { EventEmitter } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Endpoint } from '../../../../main/endpoint/endpoint-server.ts'
import { movedMark, readMark } from '../../../../main/local-files/moved-station.ts'
import { StationAgent } from '../../../../main/supervisor/station-agent.ts'
import type { Supervisor } from '../../../../main/supervisor/supervisor.ts'
import type { SettingsState } from '../../../../shared/ipc/ipc.ts'
import { needs, posix } from '../../../support/needs.ts'
import { until } from '../../../support/station.ts'

/** A fake of the window's own agent that counts its starts. The agents from `serve` have real endpoints. */
class OwnAgent extends EventEmitter {
  starts = 0
  health: { state: string; restarts: number } = { state: 'starting', restarts: 0 }
  whileStopping: () => Promise<void> = async () => {}

  start(): void {
    this.starts += 1
  }

  async stop(): Promise<void> {
    await this.whileStopping()
  }

  fail(): void {
    this.health = { state: 'restarting', restarts: 1 }
    this.emit('health', this.health)
  }
}

let base: string
let own: OwnAgent
let agent: StationAgent
let endpoints: Endpoint[]
const windowFolder = () => path.join(base, 'window')
const serviceFolder = () => path.join(base, 'service')

beforeEach(() => {
  base = mkdtempSync(path.join(tmpdir(), 'sluice-attach-'))
  for (const folder of [windowFolder(), serviceFolder()]) mkdirSync(folder, { mode: 0o700 })
  endpoints = []
  own = new OwnAgent()
  agent = new StationAgent({
    own: own as unknown as Supervisor,
    dataFolders: () => [windowFolder()],
    movedTo: () => readMark(movedMark(windowFolder())),
    version: '1.2.3',
    beforeOwn: async () => {},
  })
})
afterEach(async () => {
  await agent.stop()
  for (const endpoint of endpoints) await endpoint.close()
  rmSync(base, { recursive: true, force: true })
})

const serve = async (dataFolder: string): Promise<Endpoint> => {
  const endpoint = await Endpoint.open({
    place: { path: path.join(dataFolder, 'agent.sock'), token: null },
    groupId: null,
    agent: {
      version: '1.2.3',
      pid: 7,
      account: 'sluice',
      host: 'service',
      dataFolder,
      logFolder: dataFolder,
      settingsFile: path.join(dataFolder, 'settings.json'),
      startedAt: '2026-03-12T10:00:00Z',
    },
    answer: async () => ({ ok: true, value: null }),
    reconnect: () => {},
    settings: () => ({ settings: {}, problem: null }) as unknown as SettingsState,
    status: () => null,
    log: () => {},
  })
  endpoints.push(endpoint)
  return endpoint
}

const markMoved = () => writeFileSync(movedMark(windowFolder()), JSON.stringify({ folder: serviceFolder() }))

describe('a window', needs(posix), () => {
  test('attaches to the agent of the folder that the station has moved to', async () => {
    markMoved()
    await serve(serviceFolder())
    expect(await agent.attach()).toBe(true)
    expect(agent.attachedTo?.agent?.dataFolder).toBe(serviceFolder())
    expect(agent.health.state).toBe('running')
  })

  test('starts no agent in a folder that the station has left, but waits for the agent of the new folder', async () => {
    markMoved()
    expect(await agent.attach()).toBe(true)
    expect(agent.health).toMatchObject({
      state: 'stopped',
      trouble: expect.stringContaining(`has moved to ${serviceFolder()}`),
    })
    await agent.startOwn()
    expect(own.starts).toBe(0)
    await serve(serviceFolder())
    await until('the window attaches', () => agent.health.state === 'running')
  })

  test('waits for the agent of the new folder if the station moves and the window’s own agent then fails', async () => {
    expect(await agent.attach()).toBe(false)
    await agent.startOwn()
    expect(own.starts).toBe(1)
    markMoved()
    own.fail()
    await until('the window waits for the new agent', () => agent.attachedTo !== null)
    await serve(serviceFolder())
    await until('the window attaches', () => agent.health.state === 'running')
  })

  test('starts one agent of its own, even if the user presses “Start the agent” twice', async () => {
    await Promise.all([agent.startOwn(), agent.startOwn()])
    expect(own.starts).toBe(1)
  })

  test('attaches to another agent only once, even if its own agent fails twice in a row', async () => {
    const endpoint = await serve(windowFolder())
    own.fail()
    own.fail()
    await until('the window attaches', () => agent.health.state === 'running')
    await until('the second connection is closed', () => endpoint.clients === 1)
    await endpoint.close()
    await until('the window notices that the agent ended', () => agent.health.state === 'stopped')
  })

  test('shows that an attached agent ended, even if it ended before the own agent stopped', async () => {
    const endpoint = await serve(windowFolder())
    own.whileStopping = async () => {
      await endpoint.close()
      await until('the connection is closed', () => endpoint.clients === 0)
    }
    own.fail()
    await until('the window waits for the agent', () => agent.attachedTo !== null)
    await until('the window shows that the agent stopped', () => agent.health.state === 'stopped')
    await serve(windowFolder())
    await until('the window attaches', () => agent.health.state === 'running')
  })
})
