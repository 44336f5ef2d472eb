import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { HostedAgent } from '../support/hosted-agent.ts'
import { Station, until } from '../support/station.ts'
import { EVENTS_ONLY, isProcessed, portOf, SLOW_PROCESSING } from '../support/webhooks/receiving-station.ts'

let station: Station
const openStation = async (flags: readonly string[] = []) => {
  station = await Station.open(flags)
  station.configure(EVENTS_ONLY)
}
afterEach(() => station.close())

const record = (name: string) => writeFileSync(path.join(station.recordings, name), `a recording ${name}`)

test('reports a port in use, keeps polling, and listens once the port is free', async () => {
  await openStation()
  const portHolder = createServer().listen(0, '127.0.0.1')
  await once(portHolder, 'listening')
  const { port } = portHolder.address() as { port: number }
  station.configure({ rest: { webhooks: { receive: { port } }, follow: { poll_seconds: 0.2 } } })
  const agent = station.agent()
  await until('the problem is printed', () => agent.stderr.includes('another program uses the port'))
  expect(agent.stderr).toContain(`127.0.0.1, port ${port}`)
  record('a.bin')
  await agent.waitForChange('processed by polling', isProcessed('a.bin'))
  const { station: reported } = await station.status()
  expect(reported.problem).toMatchObject({ code: 'webhook-port-taken', owner: 'admin' })
  portHolder.close()
  expect(await portOf(agent)).toBe(port)
  await until(
    'the problem is cleared',
    async () => (await station.status()).station.problem?.code !== 'webhook-port-taken',
  )
})

test('the app’s agent registers an endpoint, and receives events once its settings have the secret', async () => {
  await openStation(SLOW_PROCESSING)
  const agent = await HostedAgent.start(station)
  const listening = await until(
    'the receiver listens',
    async () => (await agent.call('getReceiver', undefined)).listening,
  )
  const endpoint = { url: `http://127.0.0.1:${listening.port}/webhooks`, events: ['session.processed'] }
  const idempotencyKey = '7f1c6f3e-5a0b-4a53-9a2e-0d7a3f1b2c4d'
  const { secret } = await agent.call('createWebhookEndpoint', { ...endpoint, idempotencyKey })
  expect((await agent.call('createWebhookEndpoint', { ...endpoint, idempotencyKey })).secret).toBe(secret)
  await until('a secret is missing', async () =>
    (await agent.call('getStatus', undefined)).station.conditions.some(
      ({ code }) => code === 'webhook-secret-missing',
    ),
  )
  agent.configure(undefined, [secret])
  record('a.bin')
  await agent.waitForState('a.bin', 'processed')
  expect(await agent.call('getReceiver', undefined)).toMatchObject({
    secretCount: 1,
    eventsLastDay: 1,
    refused: null,
  })
  expect((await agent.call('getStatus', undefined)).station.conditions).toEqual([])
  await agent.stop()
})
