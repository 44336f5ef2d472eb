import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { openDataFolder } from '../../../../server/data-folder.ts'
import { WebhookSender } from '../../../../server/events/webhook-sender.ts'
import { noHooks } from '../../../../server/hooks.ts'
import { createSqliteStore } from '../../../../server/store/sqlite/sqlite-store.ts'
import type { Store } from '../../../../server/store/store.ts'
import { webhooks } from '../../../../server/store/webhooks.ts'
import { type Receiver, startWebhookReceiver } from '../../../contract/webhook-receiver.ts'

const DUE_MS = Date.parse('2026-11-16T12:00:00Z')

let root: string
let store: Store
let hook: Receiver
let sender: WebhookSender
let log: string[]

/** The store of the sender has one event for `hook`. The event is due at `DUE_MS`. */
const createSender = (now: () => number, change: Partial<Store> = {}) =>
  new WebhookSender({
    store: { ...store, ...change },
    clock: { now, onJump: () => undefined },
    hooks: noHooks,
    log: (line) => log.push(line),
    webhookTargets: 'internet-and-loopback',
  })

beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'sandbox-sender-'))
  log = []
  hook = await startWebhookReceiver()
  const { db } = await openDataFolder(path.join(root, 'data'), 'sandbox')
  // The test adds an endpoint without its organisation, and a delivery without its session.
  db.pragma('foreign_keys = OFF')
  store = createSqliteStore(db)
  await store.write(function* () {
    yield* webhooks.addEndpoint({
      id: 'we_1',
      org_id: 'org_1',
      url: hook.url,
      events: '["session.processed"]',
      secret: 'whsec_of-this-test',
      created_at: DUE_MS,
    })
    yield* webhooks.addDelivery({
      endpointId: 'we_1',
      sessionId: 'ses_1',
      eventId: 'evt_1',
      body: '{"id":"evt_1"}',
      now: DUE_MS,
    })
  })
})
afterEach(async () => {
  await sender.stop()
  await hook.close()
  await store.close()
  await rm(root, { recursive: true })
})

test('delivers an event that becomes due between two readings of the clock', async () => {
  // Simulates a timer that fires early: only the first reading is before the due time.
  let readings = 0
  sender = createSender(() => (readings++ === 0 ? DUE_MS - 1 : DUE_MS))
  sender.wake()
  await expect.poll(() => hook.deliveries.length).toBe(1)
})

test('waits between deliveries if it cannot store their results', async () => {
  let writes = 0
  const write = async () => {
    writes += 1
    throw new Error('the disk is full')
  }
  sender = createSender(() => DUE_MS, { write })
  sender.wake()
  await expect.poll(() => writes).toBe(1)
  // Wait as long as 50 deliveries take.
  for (let n = 0; n < 50; n += 1) await fetch(hook.url, { method: 'POST', body: '{}' })
  expect(writes).toBeLessThan(10)
  expect(log.filter((line) => line.includes('the disk is full')).length).toBeLessThan(10)
  await expect.poll(() => writes).toBeGreaterThan(1)
})

test('the log names the endpoint and the reason of a failed delivery, without the URL', async () => {
  await hook.close()
  sender = createSender(() => DUE_MS)
  sender.wake()
  await expect.poll(() => log[0]).toBe('event evt_1 for we_1: not delivered (ECONNREFUSED), will retry')
})

test('a receiver that does not answer does not delay the other receivers', async () => {
  const silent = await startWebhookReceiver(() => 'never')
  onTestFinished(() => silent.close())
  const delivery = { endpointId: 'we_silent', sessionId: 'ses_1', body: '{}', now: DUE_MS - 1 }
  await store.write(function* () {
    yield* webhooks.addEndpoint({
      id: 'we_silent',
      org_id: 'org_2',
      url: silent.url,
      events: '["session.processed"]',
      secret: 'whsec_of-this-test',
      created_at: DUE_MS,
    })
    for (let n = 0; n < 40; n += 1) yield* webhooks.addDelivery({ ...delivery, eventId: `evt_silent_${n}` })
  })
  sender = createSender(() => DUE_MS)
  sender.wake()
  await hook.waitForDeliveries(1)
  // The sender starts at most 20 deliveries at a time. The silent receiver must not take all of these slots.
  expect(silent.deliveries.length).toBeLessThan(20)
})
