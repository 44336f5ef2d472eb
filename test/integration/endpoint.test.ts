import { spawn } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { userInfo } from 'node:os'
import path from 'node:path'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { connectToAgent, type EndpointClient } from '../../main/endpoint/endpoint-client.ts'
import { otherPlace, recordPlace } from '../../main/endpoint/endpoint-place.ts'
import type { SettingsState } from '../../shared/ipc/ipc.ts'
import type { Status } from '../../shared/status/status.ts'
import { collectOutput } from '../support/child-end.ts'
import { needs, posix, root } from '../support/needs.ts'
import { agentProgram } from '../support/programs.ts'
import { AgentProcess, Station, until } from '../support/station.ts'

/** A headless agent runs as a process. Each connection plays a window, and the commands are the real ones. */

let station: Station
afterEach(() => station.close())

const attach = async (): Promise<EndpointClient> => {
  const client = await until('the agent listens', () =>
    connectToAgent(station.data, { version: 'test', clientIs: 'this program' }),
  )
  onTestFinished(() => client.close())
  return client
}

const latestStatusOf = (client: EndpointClient): (() => Status | undefined) => {
  const statuses: Status[] = []
  client.on('status', (status) => statuses.push(status))
  return () => statuses.at(-1)
}

const answerOf = async <T>(answer: ReturnType<EndpointClient['call']>): Promise<T> => {
  const result = await answer
  if (!result.ok) throw new Error(result.error.message)
  return result.value as T
}

const logOf = () => readFileSync(path.join(station.data, 'logs/sluice.log'), 'utf8')

const startAgent = async (...flags: string[]): Promise<AgentProcess> => {
  const agent = station.agent(...flags)
  await attach()
  return agent
}

describe('a headless agent', needs(posix), () => {
  test('serves several clients and commands, and each sees the actions of the others', async () => {
    station = await Station.open()
    await startAgent()
    const [first, second] = [await attach(), await attach()]
    const [statusOfFirst, statusOfSecond] = [latestStatusOf(first), latestStatusOf(second)]
    await answerOf(first.call('pause', { until: null }))
    await until('the other client sees the pause', () => statusOfSecond()?.station.paused === true)
    const resumed = await station.sluice('resume', '--json')
    expect(JSON.parse(resumed.out)).toEqual({ paused: false, was_paused: true })
    for (const status of [statusOfFirst, statusOfSecond])
      await until('both clients see the end of the pause', () => status()?.station.paused === false)
    const { agent } = JSON.parse((await station.sluice('status', '--json')).out)
    expect(agent).toMatchObject({ pid: first.agent.pid, host: 'terminal', account: first.agent.account })
    expect((await station.sluice('status')).out).toContain(`(process ${first.agent.pid})`)
  })

  test('commands call the agent, and work on the journal when no agent runs', async () => {
    station = await Station.open()
    writeFileSync(path.join(station.recordings, 'empty.bin'), '')
    const agent = await startAgent()
    const file = path.join(station.recordings, 'empty.bin')
    const status = latestStatusOf(await attach())
    await until('the file needs attention', () => (status()?.needAttention ?? 0) > 0)
    expect((await station.sluice('dismiss', file)).code).toBe(0)
    await until('the file needs no attention', () => status()?.needAttention === 0)
    expect((await station.sluice('dismiss', file)).err).toContain('does not need attention')
    expect((await station.sluice('dismiss', '--undo', file)).code).toBe(0)
    await until('the file needs attention again', () => (status()?.needAttention ?? 0) > 0)
    expect((await station.sluice('retry', path.join(station.recordings, 'none.bin'))).err).toContain(
      'The journal has no recording',
    )
    expect((await station.sluice('accept-key')).err).toContain('nothing to accept')
    await agent.kill('SIGKILL')
    expect((await station.sluice('dismiss', '--all')).out).toBe('1 recording: dismissed.\n')
    expect((await station.sluice('pause')).code).toBe(0)
    expect(JSON.parse((await station.sluice('status', '--json')).out)).toMatchObject({
      agent: null,
      station: { paused: true },
    })
  })

  test('clients find the restarted agent after each kill -9, at a socket that only its account can use', async () => {
    station = await Station.open()
    for (let turn = 0; turn < 3; turn += 1) {
      const agent = station.agent()
      const client = await until('this agent listens', async () => {
        const candidate = await connectToAgent(station.data, { version: 'test', clientIs: 'this program' })
        return candidate?.agent.pid === agent.child.pid ? candidate : null
      })
      expect(statSync(path.join(station.data, 'agent.sock')).mode & 0o777).toBe(0o600)
      const closing = new Promise<void>((resolve) => client.once('closed', resolve))
      await agent.kill('SIGKILL')
      await closing
      expect(existsSync(path.join(station.data, 'agent.sock'))).toBe(true)
    }
  })

  test('stores a key from a client in a file that only its account can read, and never shows it', async () => {
    station = await Station.open()
    const key = station.sandbox.keys.write
    station.configure({ service: { api_key: undefined } })
    writeFileSync(path.join(station.recordings, 'take.bin'), 'a recording')
    let agent = await startAgent()
    const client = await attach()
    const status = latestStatusOf(client)
    await until('the key is missing', () => status()?.station.problem?.code === 'key-missing')
    const keyEntry = { baseUrl: station.sandbox.baseUrl, apiKey: key, acceptUnprotected: true }
    await answerOf(client.call('saveKey', keyEntry))
    await agent.waitForChange('the recording is processed', ({ state }) => state === 'processed')
    const file = path.join(station.data, 'agent-key.json')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(await answerOf(client.call('getSecretStorage', undefined))).toMatchObject({
      keyFor: [station.sandbox.baseUrl],
    })
    const answers = await Promise.all([
      client.call('getSettings', undefined),
      client.call('getSecretStorage', undefined),
      client.call('getSupportFacts', undefined),
      client.call('listLogLines', {}),
      client.call('makeSupportReport', { app: {}, agentHealth: {} }),
    ])
    expect(JSON.stringify(answers)).not.toContain(key)
    await agent.kill('SIGKILL')
    writeFileSync(path.join(station.recordings, 'next.bin'), 'another recording')
    agent = await startAgent()
    await agent.waitForChange(
      'the key works after a restart',
      (line) => /next/.test(line.path) && line.state === 'processed',
    )
    const secondClient = await attach()
    await answerOf(secondClient.call('forgetKey', undefined))
    expect(existsSync(file)).toBe(false)
  })

  test('a changed address gets neither the key in the environment nor the key in the file', async () => {
    station = await Station.open()
    const key = station.sandbox.keys.write
    const receivedHeaders: string[] = []
    const other = createServer((request, response) => {
      receivedHeaders.push(JSON.stringify(request.headers))
      response.writeHead(401).end()
    })
    await new Promise<void>((resolve) => {
      other.listen(0, '127.0.0.1', resolve)
    })
    station.onClose(async () => {
      other.closeAllConnections()
      await new Promise((resolve) => other.close(resolve))
    })
    const { port } = other.address() as AddressInfo
    for (const [api_key, env] of [
      [undefined, { SLUICE_API_KEY: key }],
      [key, {}],
    ] as const) {
      station.configure({ service: { api_key } })
      const agent = station.agentWith({ env })
      const take = path.join(station.recordings, api_key === undefined ? 'one.bin' : 'two.bin')
      writeFileSync(take, take)
      await agent.waitForChange(
        'the key works at its own address',
        (line) => line.path === take && line.state === 'processed',
      )
      const client = await attach()
      const status = latestStatusOf(client)
      const { settings } = await answerOf<SettingsState>(client.call('getSettings', undefined))
      const service = { ...settings.service, base_url: `http://127.0.0.1:${port}` }
      const saved = await answerOf(client.call('saveSettings', { ...settings, service }))
      if (api_key === undefined) {
        // If the agent saved the address, the next start would send the key there.
        expect(saved).toMatchObject({ ok: false, issues: [{ path: 'service.base_url' }] })
        expect(readFileSync(station.settingsFile, 'utf8')).not.toContain(String(port))
      } else {
        expect(saved).toEqual({ ok: true })
        await until('the key is missing', () => status()?.station.problem?.code === 'key-missing')
      }
      await agent.kill('SIGKILL')
    }
    expect(receivedHeaders.join()).not.toContain(key)
  })

  test('saves settings that a client changes, and updates the other clients', async () => {
    station = await Station.open()
    await startAgent()
    const [first, second] = [await attach(), await attach()]
    const receivedSettings: SettingsState[] = []
    second.on('settings', (state) => receivedSettings.push(state))
    const { settings } = await answerOf<SettingsState>(first.call('getSettings', undefined))
    const next = { ...settings, transfer: { ...settings.transfer, limit_mbit_per_s: 5 } }
    expect(await answerOf(first.call('saveSettings', next))).toEqual({ ok: true })
    await until(
      'the other client gets the change',
      () => receivedSettings.at(-1)?.settings.transfer.limit_mbit_per_s === 5,
    )
    const saved = JSON.parse(readFileSync(station.settingsFile, 'utf8'))
    expect(saved).toMatchObject({
      transfer: { limit_mbit_per_s: 5 },
      service: { api_key: expect.any(String) },
    })
    const { service: _none, ...withoutService } = next
    expect(await answerOf(first.call('saveSettings', withoutService))).toMatchObject({ ok: false })
    expect(await first.call('saveSettings', 'nonsense')).toMatchObject({ error: { kind: 'bad-arguments' } })
    expect(JSON.parse(readFileSync(station.settingsFile, 'utf8'))).toEqual(saved)
  })

  test('a service without settings waits, and a client sets up the station', async () => {
    station = await Station.open()
    writeFileSync(path.join(station.recordings, 'take.bin'), 'a recording')
    const agent = new AgentProcess(['run', '--json', '--data', station.data], {
      env: { SLUICE_SERVICE: '1' },
    })
    onTestFinished(() => agent.kill())
    const client = await attach()
    expect(client.agent.host).toBe('service')
    const { settings } = await answerOf<SettingsState>(client.call('getSettings', undefined))
    expect(settings.service).toBeUndefined()
    const service = { base_url: station.sandbox.baseUrl }
    const key = { baseUrl: service.base_url, apiKey: station.sandbox.keys.write, acceptUnprotected: true }
    await answerOf(client.call('saveKey', key))
    const folders = [{ path: station.recordings, site: 'lab', settle_seconds: 0 }]
    expect(await answerOf(client.call('saveSettings', { ...settings, service, folders }))).toEqual({
      ok: true,
    })
    await agent.waitForChange('the recording is processed', ({ state }) => state === 'processed')
  })

  test('runs without an endpoint if a file is in place of its socket, and logs this', async () => {
    station = await Station.open()
    expect(await station.runToIdle()).toBe(0)
    const place = path.join(station.data, 'agent.sock')
    writeFileSync(place, 'a file of a different program')
    writeFileSync(path.join(station.recordings, 'take.bin'), 'a recording')
    expect(await station.runToIdle()).toBe(0)
    expect(readFileSync(place, 'utf8')).toBe('a file of a different program')
    expect(logOf()).toContain('is in the way and does not belong to this agent')
    await station.expectAllSafe()
  })

  test('an agent outside the group in the settings serves only its own account', needs(root), async () => {
    station = await Station.open()
    station.configure({ rest: { control: { group: '64321' } } })
    chmodSync(station.root, 0o755)
    for (const file of [station.settingsFile, station.recordings]) chownSync(file, 65_534, 65_534)
    mkdirSync(station.data)
    chownSync(station.data, 65_534, 65_534)
    // The runtime folder, as systemd would create it.
    const runtimeFolder = path.join(station.root, 'run')
    mkdirSync(runtimeFolder)
    chownSync(runtimeFolder, 65_534, 65_534)
    const dropRights = 'process.setgroups([]); process.setgid(65534); process.setuid(65534)'
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(dropRights)}`
    station.agentWith({ env: { NODE_OPTIONS, RUNTIME_DIRECTORY: runtimeFolder } })
    await attach()
    expect(statSync(path.join(station.data, 'agent.sock')).mode & 0o777).toBe(0o600)
    expect(logOf()).toContain('is not a member of 64321')
  })

  test(
    'other users of the PC cannot connect, unless they are in the group in the settings',
    needs(root),
    async () => {
      station = await Station.open()
      const group = 64_321
      station.configure({ rest: { control: { group: String(group) } } })
      chmodSync(station.root, 0o755)
      const runtimeFolder = path.join(station.root, 'run')
      mkdirSync(runtimeFolder)
      chmodSync(runtimeFolder, 0o755)
      station.agentWith({ env: { RUNTIME_DIRECTORY: runtimeFolder } })
      await attach()
      const socket = path.join(runtimeFolder, 'agent.sock')
      await until('the group can attach', () => existsSync(socket) && statSync(socket).gid === group)
      expect(statSync(path.join(station.data, 'agent.sock')).mode & 0o777).toBe(0o600)
      expect(statSync(socket).mode & 0o777).toBe(0o660)
      const connectAs = (uid: number, gid: number) =>
        collectOutput(
          spawn(
            process.execPath,
            [
              '-e',
              `process.setgroups([]); process.setgid(${gid}); process.setuid(${uid});
           require('net').connect(${JSON.stringify(socket)})
             .on('connect', () => { console.log('connected'); process.exit() })
             .on('error', (error) => { console.log(error.code); process.exit() })`,
            ],
            { stdio: ['ignore', 'pipe', 'pipe'] },
          ),
        )
      expect((await connectAs(65_533, 65_533)).out.trim()).toBe('EACCES')
      expect((await connectAs(65_533, group)).out.trim()).toBe('connected')
    },
  )

  test(
    'a member of the group sees and controls the station, but cannot change its proxy or its key',
    needs(root),
    async () => {
      station = await Station.open()
      const group = 64_321
      station.configure({ rest: { control: { group: String(group) } } })
      chmodSync(station.root, 0o755)
      writeFileSync(path.join(station.recordings, 'take.bin'), 'a recording')
      const agent = station.agent()
      await agent.waitForChange('the recording is processed', ({ state }) => state === 'processed')
      const { path: groupSocket } = otherPlace(station.data, {
        platform: process.platform,
        environment: {},
        hasGroup: true,
      })
      await until(
        'the group can attach',
        () => existsSync(groupSocket) && statSync(groupSocket).gid === group,
      )
      const commandAs = (uid: number, gid: number, ...args: string[]) => {
        const dropRights = `process.setgroups([]); process.setgid(${gid}); process.setuid(${uid})`
        const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(dropRights)}`
        return collectOutput(
          spawn(process.execPath, [agentProgram, ...args, '--data', station.data], {
            stdio: ['ignore', 'pipe', 'pipe'],
            // `doctor` checks in a second process. The member may not be able to start one here, so the first one checks.
            env: { ...process.env, NODE_OPTIONS, HOME: station.root, SLUICE_DOCTOR_CHECKS: '1' },
          }),
        )
      }
      const member = (...args: string[]) => commandAs(65_533, group, ...args)
      const memberStatus = await member('status', '--json')
      expect(memberStatus).toMatchObject({ code: 0 })
      expect(JSON.parse(memberStatus.out)).toMatchObject({
        agent: { pid: agent.child.pid },
        recordings: [{ state: 'processed', bytes: 11 }],
      })
      expect(await member('pause')).toMatchObject({ code: 0 })
      expect((await member('status')).out).toContain('aused')
      const { entries } = JSON.parse((await member('activity', '--json')).out)
      expect(entries.at(-1)).toMatchObject({ kind: 'paused' })
      // The upload hours are always open here, so the agent itself refuses the command.
      expect(await member('upload-now')).toMatchObject({
        code: 1,
        err: expect.stringContaining('not waiting for the upload hours'),
      })
      const recording = path.join(station.recordings, 'take.bin')
      expect(await member('upload-now', recording)).toMatchObject({
        code: 1,
        err: expect.stringContaining('not waiting for the upload hours'),
      })
      expect(await member('upload-now', '--undo', '--json')).toMatchObject({
        code: 0,
        out: expect.stringContaining('"was_lifted":false'),
      })
      const receipt = JSON.parse((await member('receipt', '--path', recording)).out)
      expect(receipt.recordings).toMatchObject([{ path: recording, bytes: 11 }])
      const exported = JSON.parse((await member('export', 'recordings', '--json')).out)
      expect(exported.recordings).toMatchObject([{ path: recording, standing: 'safe', bytes: 11 }])
      // A member may not read the folders of the agent, so the agent checks them.
      const checks = JSON.parse((await member('doctor')).out)
      expect(checks.checkedAs).toBe(userInfo().username)
      for (const subject of [station.recordings, 'Journal', 'Agent'])
        expect(checks.findings).toContainEqual(expect.objectContaining({ subject, verdict: 'pass' }))
      const settingsOfMember = await member('export', 'settings')
      expect(JSON.parse(settingsOfMember.out)).toMatchObject({ control: { group: String(group) } })
      expect(settingsOfMember.out).not.toContain(station.sandbox.keys.write)
      // The command writes with the rights of the member, so the agent's folder stays closed.
      const intoAgent = path.join(station.data, 'receipt.json')
      expect(await member('receipt', '--since', '1d', '--out', intoAgent)).toMatchObject({ code: 1 })
      expect(existsSync(intoAgent)).toBe(false)
      const stranger = await commandAs(65_532, 65_532, 'status')
      expect(stranger).toMatchObject({
        code: 1,
        err: expect.stringContaining('Join the group in control.group'),
      })

      // Every client of the group's socket has the rights of a member, root included.
      const asMember = path.join(station.root, 'as-member')
      mkdirSync(asMember)
      recordPlace(asMember, { path: groupSocket, token: null })
      const client = await connectToAgent(asMember, { version: 'test', clientIs: 'this program' })
      if (client === null) throw new Error('the agent does not listen for its group')
      onTestFinished(() => client.close())
      // A window then shows the settings of the owner as read-only.
      expect(client.agent.isMember).toBe(true)
      const { settings } = await answerOf<SettingsState>(client.call('getSettings', undefined))
      const report = await client.call('makeSupportReport', { app: {}, agentHealth: {} })
      expect(report).toMatchObject({ ok: true, value: expect.stringContaining('"report"') })
      const service = { ...settings.service, proxy: 'http://127.0.0.1:9' }
      expect(await answerOf(client.call('saveSettings', { ...settings, service }))).toMatchObject({
        ok: false,
      })
      const limitedSettings = { ...settings, transfer: { ...settings.transfer, limit_mbit_per_s: 5 } }
      expect(await answerOf(client.call('saveSettings', limitedSettings))).toEqual({ ok: true })
      const keyEntry = { baseUrl: station.sandbox.baseUrl, apiKey: 'svc_test_other', acceptUnprotected: true }
      expect(await client.call('saveKey', keyEntry)).toMatchObject({ error: { kind: 'refused' } })
      const saved = JSON.parse(readFileSync(station.settingsFile, 'utf8'))
      expect(saved).toMatchObject({ transfer: { limit_mbit_per_s: 5 } })
      expect(saved.service.proxy).toBe('system')
      // The owner may change the proxy, through the socket in the data folder.
      const owner = await attach()
      expect(owner.agent.isMember).toBeUndefined()
      const current = await answerOf<SettingsState>(owner.call('getSettings', undefined))
      const directSettings = { ...current.settings, service: { ...current.settings.service, proxy: 'none' } }
      expect(await answerOf(owner.call('saveSettings', directSettings))).toEqual({ ok: true })

      await agent.kill('SIGKILL')
      expect(await member('status')).toMatchObject({ code: 1, err: expect.stringContaining('Use root') })
    },
  )
})
