import { createHmac, timingSafeEqual } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished } from 'vitest'
import type { TestCertificate } from '../support/certificate.ts'
import type { Service } from './service.ts'
import { type Delivery, type Reaction, startWebhookReceiver } from './webhook-receiver.ts'

/** As an MCAP file, these bytes count as truncated, so processing fails. */
export const truncatedMcap = Buffer.from('not an mcap file')

export async function subscribe(
  service: Service,
  events: string[],
  react?: Reaction,
  certificate?: TestCertificate,
) {
  const hook = await startWebhookReceiver(react, certificate)
  onTestFinished(() => hook.close())
  const answer = await service.call('POST', '/v1/webhook_endpoints', { body: { url: hook.url, events } })
  return { hook, secret: answer.json().secret as string }
}

/** Checks the signature as §6.3 describes it, without the code under test. */
export function expectValidSignature({ headers, raw }: Delivery, secret: string, nowS: number): void {
  const match = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(headers['service-signature'] as string)
  expect(match).not.toBeNull()
  const [, t, v1] = match!
  const message = Buffer.concat([Buffer.from(`${t}.`), raw])
  const expected = createHmac('sha256', secret).update(message).digest()
  expect(timingSafeEqual(expected, Buffer.from(v1!, 'hex'))).toBe(true)
  expect(Math.abs(nowS - Number(t))).toBeLessThanOrEqual(300)
}

export const flags = ['--min-part-size', '1000', '--processing-delay', '0', '--control']

/** Stops the service's clock, so that no delay ends by itself on a slow computer. */
export function freezeClock(service: Service, offsetS: number): Promise<unknown> {
  return service.operate('POST', '/clock', { offset_s: offsetS, frozen: true })
}

/** Waits until a delivery is scheduled for later, and returns its delay. */
export async function waitForScheduledDelivery(service: Service): Promise<{ next_delivery_in_s: number }> {
  for (;;) {
    const { in_flight, next_delivery_in_s } = (await service.operate('GET', '/deliveries')) as {
      in_flight: number
      next_delivery_in_s: number | null
    }
    if (in_flight === 0 && next_delivery_in_s !== null && next_delivery_in_s > 0)
      return { next_delivery_in_s }
    await delay(5)
  }
}

export async function waitUntilNoDeliveryIsPending(service: Service): Promise<void> {
  while ((await service.operate('GET', '/deliveries')).pending !== 0) await delay(5)
}
