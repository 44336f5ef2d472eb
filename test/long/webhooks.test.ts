import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Station, until } from '../support/station.ts'
import { deliver, eventBody } from '../support/webhooks/deliver.ts'
import {
  EVENTS_ONLY,
  isProcessed,
  portOf,
  SLOW_PROCESSING,
  secretIn,
} from '../support/webhooks/receiving-station.ts'

let station: Station
beforeEach(async () => {
  station = await Station.open(SLOW_PROCESSING)
  station.configure(EVENTS_ONLY)
})
afterEach(() => station.close())

const register = async (url: string, ...flags: string[]) => {
  const result = await station.command('webhook', url, '--settings', station.settingsFile, ...flags)
  return { ...result, secret: secretIn(result.out) }
}
const record = (name: string) => writeFileSync(path.join(station.recordings, name), `a recording ${name}`)

test('accepts duplicate and unordered deliveries, even across a restart', async () => {
  await station.fault(
    { route: 'webhook', count: 1, effect: { kind: 'reorder_events' } },
    { route: 'webhook', count: 20, effect: { kind: 'duplicate_event' } },
  )
  const agent = station.agent()
  const port = await portOf(agent)
  const { secret } = await register(`http://127.0.0.1:${port}/webhooks`)
  for (const name of ['a.bin', 'b.bin', 'c.bin']) record(name)
  for (const name of ['a.bin', 'b.bin', 'c.bin'])
    await agent.waitForChange(`${name} is processed`, isProcessed(name))
  const [session] = await station.sessions()
  const lateEvent = eventBody('evt_late', session?.id ?? '', { type: 'session.failed', status: 'failed' })
  expect(await deliver(port, secret, lateEvent)).toEqual({ status: 200, body: '' })
  await agent.kill('SIGKILL')
  const again = station.agent()
  const portAgain = await portOf(again)
  expect(await deliver(portAgain, secret, lateEvent)).toEqual({ status: 200, body: '' })
  expect(await deliver(portAgain, `${secret}x`, lateEvent)).toEqual({ status: 401, body: '' })
  expect(await deliver(portAgain, secret, lateEvent, Date.now() - 400_000)).toEqual({ status: 401, body: '' })
  await station.expectAllSafe()
})

test('handles a stored event after a crash', async () => {
  const env = { SLUICE_WEBHOOK_SECRET: 'whsec_by-environment' }
  const agent = station.agentWith({ env })
  const port = await portOf(agent)
  record('a.bin')
  const { session_id } = await agent.waitForChange(
    'is being processed',
    ({ state }) => state === 'processing',
  )
  await until('the agent has polled once', async () => ((await station.stats()).routes.retrieve ?? 0) > 0)
  await until('processed at the service', async () => (await station.sessions())[0]?.status === 'processed')
  // The poll that the event triggers gets no answer, so only the journal knows of the event.
  await station.fault({ route: 'retrieve', count: 1, effect: { kind: 'half_open' } })
  const before = (await station.stats()).routes.retrieve ?? 0
  const body = eventBody('evt_noted', session_id ?? '')
  expect(await deliver(port, 'whsec_by-environment', body)).toEqual({ status: 200, body: '' })
  await until('polled without an answer', async () => ((await station.stats()).routes.retrieve ?? 0) > before)
  await agent.kill('SIGKILL')
  const again = station.agentWith({ env })
  expect(await deliver(await portOf(again), 'whsec_by-environment', body)).toEqual({
    status: 200,
    body: '',
  })
  await again.waitForChange('processed', isProcessed('a.bin'))
})

test('reports an address that this PC does not have, and uploads continue', async () => {
  station.configure({
    rest: { webhooks: { receive: { address: '192.0.2.1', port: 0 } }, follow: { poll_seconds: 0.2 } },
  })
  const agent = station.agent()
  record('a.bin')
  await agent.waitForChange('processed', isProcessed('a.bin'))
  await until('the problem is printed', () =>
    agent.stderr.includes('cannot listen at the configured address'),
  )
})

test('repeats a request after a lost answer with the same idempotency key, and gets the same secret', async () => {
  await station.fault({ route: 'create_webhook_endpoint', count: 1, effect: { kind: 'lose_answer' } })
  const firstTry = await register('http://127.0.0.1:9/webhooks', '--json')
  expect(firstTry.code).toBe(1)
  const { pending } = JSON.parse(readFileSync(path.join(station.data, 'webhooks.json'), 'utf8'))
  const secondTry = await register('http://127.0.0.1:9/webhooks', '--json')
  expect(secondTry.code).toBe(0)
  const { url, events } = pending
  const repeated = await station.sandbox.api('/v1/webhook_endpoints', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': pending.key },
    body: JSON.stringify({ url, events }),
  })
  expect(await repeated.json()).toMatchObject({ secret: secondTry.secret })
  const nextEndpoint = await register('http://127.0.0.1:9/webhooks', '--json')
  expect(JSON.parse(nextEndpoint.out).id).not.toBe(JSON.parse(secondTry.out).id)
})
