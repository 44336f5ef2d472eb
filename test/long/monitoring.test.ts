import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { HostedAgent } from '../support/hosted-agent.ts'
import { MonitoredStation } from '../support/monitoring/monitored-station.ts'
import { until } from '../support/station.ts'

const TOKEN = 'token-of-this-test-7f1c'

let monitored: MonitoredStation
beforeEach(async () => {
  monitored = await MonitoredStation.open()
})
afterEach(() => monitored.close())

const scrape = async (url: string, headers: Record<string, string> = {}) => {
  const answer = await fetch(url, { headers })
  return { status: answer.status, text: await answer.text() }
}

describe('metrics', () => {
  test('start and stop at run time, need a token for other hosts, and report a port in use', async () => {
    const portHolder = createServer().listen(0, '127.0.0.1')
    await once(portHolder, 'listening')
    const { port } = portHolder.address() as { port: number }
    const agent = await HostedAgent.start(monitored.station)
    const listening = async () => (await agent.call('getMonitoring', undefined)).metrics.listening
    const waitForCondition = (code: string) =>
      until(code, async () =>
        (await agent.call('getStatus', undefined)).station.conditions.some(
          (problem) => problem.code === code,
        ),
      )
    const changeMetrics = (metrics: object | undefined) => {
      monitored.configureMonitoring(metrics === undefined ? {} : { metrics })
      agent.configure()
    }
    expect(await listening()).toBeNull()
    changeMetrics({ port })
    await waitForCondition('metrics-port-taken')
    changeMetrics({ address: '0.0.0.0', port: 0 })
    await waitForCondition('metrics-token-missing')
    expect(await listening()).toBeNull()
    changeMetrics({ address: '0.0.0.0', port: 0, token: TOKEN })
    const listener = await until('the metrics endpoint listens', listening)
    const url = `http://127.0.0.1:${listener.port}/metrics`
    expect(await scrape(url)).toEqual({ status: 401, text: '' })
    expect(await scrape(url, { authorization: `Bearer ${TOKEN}` })).toMatchObject({ status: 200 })
    expect(await agent.call('getMonitoring', undefined)).toMatchObject({
      metrics: { hasToken: true, refused: 1 },
    })
    writeFileSync(monitored.file('a.bin'), 'a recording')
    await agent.waitForState('a.bin', 'processed')
    changeMetrics(undefined)
    await until('the metrics endpoint no longer listens', async () => (await listening()) === null)
    await expect(scrape(url)).rejects.toThrow()
    expect((await agent.call('getStatus', undefined)).station.conditions).toEqual([])
    await agent.stop()
    portHolder.close()
    expect(monitored.logText()).not.toContain(TOKEN)
  })
})
