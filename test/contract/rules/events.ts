import { expect } from 'vitest'
import type { CreatedSession } from '../../../shared/contract/control-api.ts'
import {
  flags,
  freeze,
  pendingDelivery,
  subscribe,
  truncated,
  verify,
  waitUntilNoDeliveryIsPending,
} from '../event-support.ts'
import { section } from '../rule.ts'
import { newSession, patterned } from '../service.ts'
import type { Delivery, Receiver } from '../webhook-receiver.ts'

export const eventRules = [
  ...section('§6.2', {
    'session.processed: id, type, created_at and data.object with id, object, status, segment_count': async ({
      launch,
    }) => {
      const { service } = await launch(...flags)
      const { hook } = await subscribe(service, ['session.processed'])
      const id = await service.upload(patterned(10))
      await hook.arrived(1)
      const [{ method, event, headers }] = hook.deliveries as [Delivery]
      expect(method).toBe('POST')
      expect(headers['content-type']).toBe('application/json')
      expect(event).toEqual({
        id: expect.stringMatching(/^evt_\w+$/),
        type: 'session.processed',
        created_at: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/),
        data: { object: { id, object: 'session', status: 'processed', segment_count: 1 } },
      })
      // The service sends the event when the session reaches the state, not before.
      expect(await service.retrieve(id)).toMatchObject({ status: 'processed', segment_count: 1 })
    },
    'session.failed also carries the issues': async ({ launch }) => {
      const { service } = await launch(...flags)
      const { hook } = await subscribe(service, ['session.failed'])
      const id = await service.upload(truncated, { filename: 'x.mcap' })
      await hook.arrived(1)
      expect(hook.deliveries[0]!.event.data.object).toMatchObject({
        id,
        status: 'failed',
        segment_count: 0,
        issues: [{ code: 'file_truncated', severity: 'error' }],
      })
    },
    'a delivery that is not answered 2xx is retried with the same id and a growing backoff': async ({
      launch,
    }) => {
      const { service } = await launch(...flags)
      const { hook } = await subscribe(service, ['session.processed'], (n) => [500, 302, 404, 204][n] ?? 204)
      await freeze(service, 0)
      await service.upload(patterned(10))
      const pauses: number[] = []
      let waited = 0
      for (const attempt of [1, 2, 3]) {
        await hook.arrived(attempt)
        const { next_delivery_in_s: pause } = await pendingDelivery(service)
        pauses.push(pause)
        waited += pause
        await freeze(service, waited - 0.001)
        expect((await service.operate('GET', '/deliveries')).in_flight).toBe(0)
        await freeze(service, waited)
      }
      await hook.arrived(4)
      expect(pauses).toEqual([1, 2, 4])
      expect(new Set(hook.deliveries.map(({ event }) => event.id)).size).toBe(1)
      await waitUntilNoDeliveryIsPending(service)
    },
    'a receiver that does not answer within 10 seconds counts as failed': async ({ launch }) => {
      const { service } = await launch(...flags)
      const { hook } = await subscribe(service, ['session.processed'], (n) => (n === 0 ? 'never' : 204))
      const startedAt = performance.now()
      await service.upload(patterned(10))
      await hook.arrived(2)
      expect(performance.now() - startedAt).toBeGreaterThanOrEqual(10_000)
      expect(hook.deliveries[1]!.event.id).toBe(hook.deliveries[0]!.event.id)
    },
    'retries continue for a day and then end': async ({ launch }) => {
      const { service } = await launch(...flags)
      const { hook } = await subscribe(service, ['session.processed'], () => 500)
      await freeze(service, 0)
      await service.upload(patterned(10))
      await hook.arrived(1)
      await pendingDelivery(service)
      await freeze(service, 23.9 * 3_600)
      await hook.arrived(2)
      await pendingDelivery(service)
      await freeze(service, 24.5 * 3_600)
      await hook.arrived(3)
      await waitUntilNoDeliveryIsPending(service)
    },
    'an undelivered event survives a crash of the service': async ({ launchWith, folder }) => {
      const data = ['--data', await folder()]
      const first = await launchWith({}, ...flags, ...data)
      const { hook } = await subscribe(first.service, ['session.processed'], (n) => (n === 0 ? 500 : 204))
      await freeze(first.service, 0)
      await first.service.upload(patterned(10))
      await hook.arrived(1)
      await pendingDelivery(first.service)
      await first.sandbox.kill()
      await launchWith({}, ...flags, ...data)
      await hook.arrived(2)
      expect(hook.deliveries[1]!.event).toEqual(hook.deliveries[0]!.event)
    },
    'events can arrive more than once and out of order (on demand)': async ({ launch }) => {
      const { service } = await launch(...flags)
      const { hook } = await subscribe(service, ['session.processed'])
      await service.operate('POST', '/faults', { route: 'webhook', effect: { kind: 'duplicate_event' } })
      const first = await service.upload(patterned(10))
      await hook.arrived(2)
      expect(hook.deliveries[1]!.event).toEqual(hook.deliveries[0]!.event)
      expect(hook.deliveries[0]!.event.data.object.id).toBe(first)
      await service.operate('POST', '/faults', { route: 'webhook', effect: { kind: 'reorder_events' } })
      await freeze(service, 0)
      const held = await service.upload(patterned(10))
      await pendingDelivery(service)
      const overtaking = await service.upload(patterned(10))
      await hook.arrived(3)
      await freeze(service, 1)
      await hook.arrived(4)
      const order = hook.deliveries.slice(2).map(({ event }) => event.data.object.id)
      expect(order).toEqual([overtaking, held])
    },
  }),
  ...section('§6.1', {
    'an endpoint gets only the events it chose, of its own organisation': async ({ launch }) => {
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
      // The service processes sessions one after the other, so theirs is done before ours.
      const failed = await service.upload(truncated, { filename: 'x.mcap' })
      const processed = await service.upload(patterned(10))
      await both.arrived(2)
      await processedOnly.arrived(1)
      await waitUntilNoDeliveryIsPending(service)
      const received = (hook: Receiver) => hook.deliveries.map(({ event }) => event.data.object.id).sort()
      expect(received(processedOnly)).toEqual([processed])
      expect(received(both)).toEqual([failed, processed].sort())
    },
  }),
  ...section('§6.3', {
    'Service-Signature is t and the HMAC-SHA256 of t, a dot and the raw body, by the endpoint’s secret':
      async ({ launch }) => {
        const { service } = await launch(...flags)
        const { hook, secret } = await subscribe(service, ['session.processed'])
        await service.upload(patterned(10), { filename: 'größe.bin' })
        await hook.arrived(1)
        verify(hook.deliveries[0]!, secret, Date.now() / 1000)
      },
    'each attempt is signed with its own time': async ({ launch }) => {
      const { service } = await launch(...flags)
      const { hook, secret } = await subscribe(service, ['session.processed'], (n) => (n === 0 ? 500 : 204))
      await freeze(service, 0)
      await service.upload(patterned(10))
      await hook.arrived(1)
      await pendingDelivery(service)
      await freeze(service, 7_200)
      await hook.arrived(2)
      verify(hook.deliveries[1]!, secret, Date.now() / 1000 + 7_200)
    },
  }),
]
