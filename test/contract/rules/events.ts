import { expect } from 'vitest'
import type { CreatedSession } from '../../../shared/contract/control-api.ts'
import {
  expectValidSignature,
  flags,
  freezeClock,
  subscribe,
  truncatedMcap,
  waitForScheduledDelivery,
  waitUntilNoDeliveryIsPending,
} from '../event-support.ts'
import { section } from '../rule.ts'
import { newSession, patterned } from '../service.ts'
import type { Delivery, Receiver } from '../webhook-receiver.ts'

export const eventRules = [
  ...section('§6.2', {
    'session.processed has id, type, created_at, and data.object with id, object, status and segment_count':
      async ({ launch }) => {
        const { service } = await launch(...flags)
        const { hook } = await subscribe(service, ['session.processed'])
        const id = await service.upload(patterned(10))
        await hook.waitForDeliveries(1)
        const [{ method, event, headers }] = hook.deliveries as [Delivery]
        expect(method).toBe('POST')
        expect(headers['content-type']).toBe('application/json')
        expect(event).toEqual({
          id: expect.stringMatching(/^evt_\w+$/),
          type: 'session.processed',
          created_at: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/),
          data: { object: { id, object: 'session', status: 'processed', segment_count: 1 } },
        })
        // The service sends the event when the session is processed, not before.
        expect(await service.retrieve(id)).toMatchObject({ status: 'processed', segment_count: 1 })
      },
    'session.failed has the issues of the session': async ({ launch }) => {
      const { service } = await launch(...flags)
      const { hook } = await subscribe(service, ['session.failed'])
      const id = await service.upload(truncatedMcap, { filename: 'x.mcap' })
      await hook.waitForDeliveries(1)
      expect(hook.deliveries[0]!.event.data.object).toMatchObject({
        id,
        status: 'failed',
        segment_count: 0,
        issues: [{ code: 'file_truncated', severity: 'error' }],
      })
    },
    'a delivery without a 2xx answer is retried with the same id and a growing backoff': async ({
      launch,
    }) => {
      const { service } = await launch(...flags)
      const { hook } = await subscribe(service, ['session.processed'], (n) => [500, 302, 404, 204][n] ?? 204)
      await freezeClock(service, 0)
      await service.upload(patterned(10))
      const delaysS: number[] = []
      let elapsedS = 0
      for (const attempt of [1, 2, 3]) {
        await hook.waitForDeliveries(attempt)
        const { next_delivery_in_s: delayS } = await waitForScheduledDelivery(service)
        delaysS.push(delayS)
        elapsedS += delayS
        await freezeClock(service, elapsedS - 0.001)
        expect((await service.operate('GET', '/deliveries')).in_flight).toBe(0)
        await freezeClock(service, elapsedS)
      }
      await hook.waitForDeliveries(4)
      expect(delaysS).toEqual([1, 2, 4])
      expect(new Set(hook.deliveries.map(({ event }) => event.id)).size).toBe(1)
      await waitUntilNoDeliveryIsPending(service)
    },
    'a delivery without an answer within 10 seconds counts as failed and is retried': async ({ launch }) => {
      const { service } = await launch(...flags)
      const { hook } = await subscribe(service, ['session.processed'], (n) => (n === 0 ? 'never' : 204))
      const startedAt = performance.now()
      await service.upload(patterned(10))
      await hook.waitForDeliveries(2)
      expect(performance.now() - startedAt).toBeGreaterThanOrEqual(10_000)
      expect(hook.deliveries[1]!.event.id).toBe(hook.deliveries[0]!.event.id)
    },
    'retries continue for a day and then end': async ({ launch }) => {
      const { service } = await launch(...flags)
      const { hook } = await subscribe(service, ['session.processed'], () => 500)
      await freezeClock(service, 0)
      await service.upload(patterned(10))
      await hook.waitForDeliveries(1)
      await waitForScheduledDelivery(service)
      await freezeClock(service, 23.9 * 3_600)
      await hook.waitForDeliveries(2)
      await waitForScheduledDelivery(service)
      await freezeClock(service, 24.5 * 3_600)
      await hook.waitForDeliveries(3)
      await waitUntilNoDeliveryIsPending(service)
    },
    'an undelivered event survives a crash of the service': async ({ launchWith, createFolder }) => {
      const data = ['--data', await createFolder()]
      const first = await launchWith({}, ...flags, ...data)
      const { hook } = await subscribe(first.service, ['session.processed'], (n) => (n === 0 ? 500 : 204))
      await freezeClock(first.service, 0)
      await first.service.upload(patterned(10))
      await hook.waitForDeliveries(1)
      await waitForScheduledDelivery(first.service)
      await first.sandbox.kill()
      await launchWith({}, ...flags, ...data)
      await hook.waitForDeliveries(2)
      expect(hook.deliveries[1]!.event).toEqual(hook.deliveries[0]!.event)
    },
    'an injected fault delivers an event twice, or two events out of order': async ({ launch }) => {
      const { service } = await launch(...flags)
      const { hook } = await subscribe(service, ['session.processed'])
      await service.operate('POST', '/faults', { route: 'webhook', effect: { kind: 'duplicate_event' } })
      const first = await service.upload(patterned(10))
      await hook.waitForDeliveries(2)
      expect(hook.deliveries[1]!.event).toEqual(hook.deliveries[0]!.event)
      expect(hook.deliveries[0]!.event.data.object.id).toBe(first)
      await service.operate('POST', '/faults', { route: 'webhook', effect: { kind: 'reorder_events' } })
      await freezeClock(service, 0)
      const delayed = await service.upload(patterned(10))
      await waitForScheduledDelivery(service)
      const overtaking = await service.upload(patterned(10))
      await hook.waitForDeliveries(3)
      await freezeClock(service, 1)
      await hook.waitForDeliveries(4)
      const order = hook.deliveries.slice(2).map(({ event }) => event.data.object.id)
      expect(order).toEqual([overtaking, delayed])
    },
  }),
  ...section('§6.1', {
    'an endpoint gets only the events that it chose, and only those of its own organisation': async ({
      launch,
    }) => {
      const { service } = await launch(...flags)
      const { hook: processedOnly } = await subscribe(service, ['session.processed', 'export.completed'])
      const { hook: both } = await subscribe(service, ['session.processed', 'session.failed'])
      const theirs = await service.call('POST', '/v1/sessions', {
        key: service.sandbox.keys.other_org,
        body: newSession(patterned(10)),
      })
      const { id, upload } = theirs.json() as unknown as CreatedSession
      const etags = await service.putParts(upload.parts, patterned(10), 1_000)
      await service.complete(id, etags, { key: service.sandbox.keys.other_org })
      // The service processes sessions in order, so the session of the other organisation ends first.
      const failed = await service.upload(truncatedMcap, { filename: 'x.mcap' })
      const processed = await service.upload(patterned(10))
      await both.waitForDeliveries(2)
      await processedOnly.waitForDeliveries(1)
      await waitUntilNoDeliveryIsPending(service)
      const receivedIds = (hook: Receiver) => hook.deliveries.map(({ event }) => event.data.object.id).sort()
      expect(receivedIds(processedOnly)).toEqual([processed])
      expect(receivedIds(both)).toEqual([failed, processed].sort())
    },
  }),
  ...section('§6.3', {
    'Service-Signature has t, and the HMAC-SHA256 of t, a dot and the raw body with the endpoint’s secret as key':
      async ({ launch }) => {
        const { service } = await launch(...flags)
        const { hook, secret } = await subscribe(service, ['session.processed'])
        await service.upload(patterned(10), { filename: 'größe.bin' })
        await hook.waitForDeliveries(1)
        expectValidSignature(hook.deliveries[0]!, secret, Date.now() / 1000)
      },
    'each attempt is signed with its own time': async ({ launch }) => {
      const { service } = await launch(...flags)
      const { hook, secret } = await subscribe(service, ['session.processed'], (n) => (n === 0 ? 500 : 204))
      await freezeClock(service, 0)
      await service.upload(patterned(10))
      await hook.waitForDeliveries(1)
      await waitForScheduledDelivery(service)
      await freezeClock(service, 7_200)
      await hook.waitForDeliveries(2)
      expectValidSignature(hook.deliveries[1]!, secret, Date.now() / 1000 + 7_200)
    },
  }),
]
