import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import type { SettingsState } from '../../shared/ipc/ipc.ts'
import { answerOf, attach, latestStatusOf, startAgent } from '../integration/endpoint-support.ts'
import { needs, posix } from '../support/needs.ts'
import { AgentProcess, Station, until } from '../support/station.ts'

let station: Station
afterEach(() => station.close())

describe('a headless agent', needs(posix), () => {
  test('stores a key from a client in a file that only its account can read, and never shows it', async () => {
    station = await Station.open()
    const key = station.sandbox.keys.write
    station.configure({ service: { api_key: undefined } })
    writeFileSync(path.join(station.recordings, 'take.bin'), 'a recording')
    let agent = await startAgent(station)
    const client = await attach(station)
    const status = latestStatusOf(client)
    await until('the key is missing', () => status()?.station.problem?.code === 'key-missing')
    const keyEntry = { baseUrl: station.sandbox.baseUrl, apiKey: key, acceptUnprotected: true }
    await answerOf(client.call('saveKey', keyEntry))
    await agent.waitForChange('the recording is processed', ({ state }) => state === 'processed')
    const file = path.join(station.data, 'agent-key.json')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(await answerOf(client.call('getSecretStorage', undefined))).toMatchObject({
      addressesWithKey: [station.sandbox.baseUrl],
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
    agent = await startAgent(station)
    await agent.waitForChange(
      'the key works after a restart',
      (line) => /next/.test(line.path) && line.state === 'processed',
    )
    const secondClient = await attach(station)
    await answerOf(secondClient.call('forgetKey', undefined))
    expect(existsSync(file)).toBe(false)
  })

  test('sends neither the key in the environment nor the key in the settings file to a changed address', async () => {
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
      const client = await attach(station)
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
    await startAgent(station)
    const [first, second] = [await attach(station), await attach(station)]
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

  test('as a background service without settings, waits until a client sets up the station', async () => {
    station = await Station.open()
    writeFileSync(path.join(station.recordings, 'take.bin'), 'a recording')
    const agent = new AgentProcess(['run', '--json', '--data', station.data], {
      env: { SLUICE_SERVICE: '1' },
    })
    // End the agent before the station removes its folders.
    station.onClose(async () => {
      await agent.kill()
    })
    const client = await attach(station)
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
})
