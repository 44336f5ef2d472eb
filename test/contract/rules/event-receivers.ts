import { expect } from 'vitest'
import { makeCertificate } from '../../support/certificate.ts'
import {
  flags,
  freezeClock,
  subscribe,
  waitForScheduledDelivery,
  waitUntilNoDeliveryIsPending,
} from '../event-support.ts'
import { section } from '../rule.ts'
import { patterned } from '../service.ts'

const certificate = makeCertificate()

export const eventReceiverRules = section('§6.2', {
  'any 2xx status ends a delivery': async ({ launch }) => {
    const { service } = await launch(...flags)
    const statuses = [200, 201, 202, 204, 299]
    const { hook } = await subscribe(service, ['session.processed'], (n) => statuses[n] ?? 500)
    await freezeClock(service, 0)
    for (const n of statuses.keys()) {
      await service.upload(patterned(10, n))
      await hook.waitForDeliveries(n + 1)
      await waitUntilNoDeliveryIsPending(service)
    }
    expect(new Set(hook.deliveries.map(({ event }) => event.id)).size).toBe(statuses.length)
  },
  'an https receiver with an untrusted certificate gets nothing; the delivery counts as failed': async ({
    launch,
  }) => {
    const { service } = await launch(...flags)
    const { hook } = await subscribe(service, ['session.processed'], undefined, certificate)
    await freezeClock(service, 0)
    await service.upload(patterned(10))
    expect((await waitForScheduledDelivery(service)).next_delivery_in_s).toBe(1)
    await freezeClock(service, 1)
    // The second failure doubles the delay.
    while ((await waitForScheduledDelivery(service)).next_delivery_in_s !== 2);
    await expect.poll(() => hook.failedHandshakes()).toBe(2)
    expect(hook.deliveries).toEqual([])
  },
  'an https receiver is trusted if its certificate is in NODE_EXTRA_CA_CERTS': async ({ launchWith }) => {
    const { service } = await launchWith({ NODE_EXTRA_CA_CERTS: certificate.certFile }, ...flags)
    const { hook } = await subscribe(service, ['session.processed'], undefined, certificate)
    const id = await service.upload(patterned(10))
    await hook.waitForDeliveries(1)
    expect(hook.deliveries[0]!.event.data.object.id).toBe(id)
    await waitUntilNoDeliveryIsPending(service)
  },
})
