import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { openDataFolder } from '../../sandbox/data-folder.ts'
import { Courier } from '../../sandbox/events/courier.ts'
import { FaultEngine } from '../../sandbox/fault-engine.ts'
import { RequestStats } from '../../sandbox/request-stats.ts'
import { createStore } from '../../sandbox/store/store.ts'
import { receiver } from '../contract/webhook-receiver.ts'

const DUE_MS = Date.parse('2026-11-16T12:00:00Z')

test('an event that becomes due between two looks at the clock is delivered all the same', async () => {
  const root = await mkdtemp(path.join(tmpdir(), 'sandbox-courier-'))
  const folder = await openDataFolder(path.join(root, 'data'))
  // An endpoint and a delivery alone, without their organisation and session.
  folder.db.pragma('foreign_keys = OFF')
  const store = createStore(folder.db)
  const hook = await receiver()
  // A timer may fire a moment early: the first look is before the time, every later one is not.
  let looks = 0
  const courier = new Courier({
    store,
    clock: {
      now: () => (looks++ === 0 ? DUE_MS - 1 : DUE_MS),
      offsetMs: () => 0,
      setOffsetMs: () => undefined,
      setFrozen: () => undefined,
      onJump: () => undefined,
    },
    faults: new FaultEngine(),
    stats: new RequestStats(),
    log: () => undefined,
    webhookTargets: 'public',
  })
  await store.write(() => {
    store.webhooks.addEndpoint({
      id: 'we_1',
      org_id: 'org_1',
      url: hook.url,
      events: '["session.processed"]',
      secret: 'whsec_of-this-test',
      created_at: DUE_MS,
    })
    store.webhooks.addDelivery({
      endpointId: 'we_1',
      sessionId: 'ses_1',
      eventId: 'evt_1',
      body: '{"id":"evt_1"}',
      now: DUE_MS,
    })
  })
  courier.wake()
  await expect.poll(() => hook.deliveries.length).toBe(1)
  await courier.stop()
  await hook.close()
  store.close()
  await folder.close()
  await rm(root, { recursive: true })
})
