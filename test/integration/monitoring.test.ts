import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { HostedAgent } from '../support/hosted-agent.ts'
import { MonitoredStation, SECRET } from '../support/monitoring/monitored-station.ts'
import { program } from '../support/needs.ts'
import { type AgentProcess, until } from '../support/station.ts'

let monitored: MonitoredStation
beforeEach(async () => {
  monitored = await MonitoredStation.open()
})
afterEach(() => monitored.close())

const metricsUrlOf = (agent: AgentProcess): Promise<string> =>
  until(
    'the agent prints its address',
    () => /Serving metrics at (http:\S+\/metrics)\./.exec(agent.stderr)?.[1],
  )
const scrape = async (url: string, headers: Record<string, string> = {}) => {
  const answer = await fetch(url, { headers })
  return { status: answer.status, text: await answer.text() }
}

describe('metrics', () => {
  test('are correct for a running station, pass Prometheus’ checker, and contain no secret', async () => {
    monitored.configureMonitoring({ metrics: { port: 0 } })
    const agent = monitored.station.agent()
    const url = await metricsUrlOf(agent)
    writeFileSync(monitored.file('a.bin'), 'a recording')
    writeFileSync(monitored.file('empty.bin'), '')
    const { text } = await until('both recordings are finished', async () => {
      const answer = await scrape(url)
      const isDone = /sluice_recordings_processed_total\{.*\} 1\n/.test(answer.text)
      return isDone && /sluice_held_recordings\{.*owner="technician"\} 1\n/.test(answer.text) ? answer : null
    })
    expect(text).toMatch(/sluice_sent_bytes_total\{.*\} 11\n/)
    expect(text).toMatch(/sluice_failures_total\{.*kind="empty-file"\} 1\n/)
    expect(text).toMatch(/sluice_station_state\{.*state="attention"\} 1\n/)
    expect(text).toMatch(/sluice_folder_available\{.*site="lab"\} 1\n/)
    expect(text).not.toContain(monitored.station.sandbox.keys.write)
    expect(text).not.toContain('.bin')
    if (program('promtool')() === null)
      expect(execFileSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' })).toBe('')
  })
})

describe('a heartbeat', () => {
  const listBeats = () =>
    monitored.receiver.messages.map(({ method, path: url }) => `${method} ${url.replace(`/${SECRET}`, '')}`)

  test('reports start, success, problems and shutdown; its URL is in no log', async () => {
    monitored.configureMonitoring({ heartbeat_url: monitored.heartbeatUrl, heartbeat_seconds: 1 })
    const agent = monitored.station.agent()
    await until('a heartbeat reports success', () => listBeats().includes('GET '))
    expect(listBeats()[0]).toBe('POST /log')
    writeFileSync(monitored.file('empty.bin'), '')
    const failureMessage = await until('the heartbeat reports a failure', () =>
      monitored.receiver.messages.find(({ path: url }) => url.endsWith('/fail')),
    )
    expect(failureMessage).toMatchObject({ method: 'POST', body: expect.stringContaining('needs you') })
    await agent.kill('SIGTERM')
    const { body } = monitored.receiver.messages.findLast(({ path: url }) => url.endsWith('/log')) ?? {
      body: '',
    }
    expect(body).toContain('Sluice was closed on')
    monitored.receiver.answer = { status: 404 }
    const secondAgent = monitored.station.agent()
    await until('the failure is logged', () => monitored.logText().includes('answers with status 404'))
    await secondAgent.kill('SIGTERM')
    expect([monitored.logText(), agent.stderr, secondAgent.stderr].join('')).not.toContain(SECRET)
  })
})

describe('an alert', () => {
  test('can be sent as a test, and the agent reports the result', async () => {
    const agent = await HostedAgent.start(monitored.station)
    await expect(agent.call('sendTestAlert', undefined)).rejects.toThrow('Set the Alert URL first.')
    const url = monitored.alertUrl
    monitored.configureMonitoring({ alert_url: url, heartbeat_url: monitored.heartbeatUrl })
    agent.configure()
    const { host } = new URL(url)
    await until(
      'the settings are applied',
      async () => (await agent.call('getMonitoring', undefined)).alert.host === host,
    )
    expect(await agent.call('sendTestAlert', undefined)).toEqual({ ok: true })
    expect(monitored.alerts()[0]).toMatchObject({ sluice: { event: 'test', begins: [] } })
    monitored.receiver.answer = { status: 410 }
    expect(await agent.call('sendTestAlert', undefined)).toEqual({
      ok: false,
      sentence: `${host} answers with status 410.`,
    })
    expect(await agent.call('sendHeartbeat', undefined)).toMatchObject({ ok: false })
    const state = await agent.call('getMonitoring', undefined)
    expect(state.alert).toMatchObject({
      host,
      failure: { sentence: `${host} answers with status 410.` },
      open: 0,
    })
    expect(JSON.stringify(state)).not.toContain(SECRET)
    await agent.stop()
  })
})
