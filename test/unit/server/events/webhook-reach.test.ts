import type { LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { mayReach } from '../../../../server/events/reach.ts'
import { WebhookClient } from '../../../../server/events/webhook-client.ts'
import { type Receiver, startWebhookReceiver } from '../../../contract/webhook-receiver.ts'

const THIS_COMPUTER = ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1']
const PUBLIC_ADDRESSES = [
  '93.184.215.14',
  '8.8.8.8',
  '2606:4700::1111',
  '::ffff:8.8.8.8',
  '172.32.0.1',
  '100.128.0.1',
]
const PRIVATE_ADDRESSES = [
  '169.254.169.254',
  '::ffff:169.254.169.254',
  'fe80::1',
  'fe80::1%eth0',
  'febf::1',
  'fd00:ec2::254',
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '::ffff:192.168.1.1',
  '100.100.100.200',
  '0.0.0.0',
  '::',
  '::7f00:1',
  '64:ff9b::a9fe:a9fe',
  '2002:a9fe:a9fe::1',
  '::ffff:0:a9fe:a9fe',
  '2001:0:a9fe:a9fe::1',
  '64:ff9b:1::a9fe:a9fe',
  '192.88.99.1',
  '224.0.0.1',
  '255.255.255.255',
]

describe('the targets of webhooks', () => {
  test.each(PRIVATE_ADDRESSES)(
    '%s is not public, so webhooks call it only if the operator allows private networks',
    (address) => {
      expect(mayReach('internet-and-loopback', 'https:', address)).toBe(false)
      expect(mayReach('anywhere', 'https:', address)).toBe(true)
    },
  )

  test.each([...THIS_COMPUTER, ...PUBLIC_ADDRESSES])(
    '%s may be a target of the sandbox command, but not of the sandbox inside the app',
    (address) => {
      expect(mayReach('internet-and-loopback', 'https:', address)).toBe(true)
      expect(mayReach('nowhere', 'https:', address)).toBe(false)
    },
  )

  test('a server for several organisations calls only public addresses, and only with encryption', () => {
    for (const address of [...THIS_COMPUTER, ...PRIVATE_ADDRESSES])
      expect(mayReach('internet', 'https:', address), address).toBe(false)
    for (const address of PUBLIC_ADDRESSES) {
      expect(mayReach('internet', 'https:', address), address).toBe(true)
      expect(mayReach('internet', 'http:', address), address).toBe(false)
    }
  })

  test('without encryption, webhooks may call only this computer', () => {
    for (const address of [...PRIVATE_ADDRESSES, ...PUBLIC_ADDRESSES]) {
      expect(mayReach('internet-and-loopback', 'http:', address), address).toBe(false)
      expect(mayReach('anywhere', 'http:', address), address).toBe(false)
    }
    for (const address of THIS_COMPUTER)
      expect(mayReach('internet-and-loopback', 'http:', address), address).toBe(true)
  })
})

/** A lookup that returns different addresses each time, as an attacker's host name may. */
const createLookup = (...answers: readonly string[][]) => {
  const lookups: string[] = []
  const lookup: LookupFunction = (hostname, _options, callback) => {
    const addresses = answers[lookups.length] ?? []
    lookups.push(hostname)
    const lookupAddresses: LookupAddress[] = addresses.map((address) => ({ address, family: isIP(address) }))
    callback(null, lookupAddresses)
  }
  return { lookups, lookup }
}

const startReceiver = async (): Promise<Receiver & { readonly port: string }> => {
  const hook = await startWebhookReceiver()
  onTestFinished(() => hook.close())
  return { ...hook, port: new URL(hook.url).port }
}

const FORBIDDEN = { reason: 'webhooks may not go to this address' }

const post = async (client: WebhookClient, url: string) => {
  onTestFinished(() => client.close())
  return client.post(url, { body: '{}', headers: {}, signal: AbortSignal.timeout(60_000) })
}

describe('a host name', () => {
  test('is contacted at the address that was checked, without a second lookup', async () => {
    const { port, deliveries } = await startReceiver()
    const { lookups, lookup } = createLookup(['169.254.169.254', '127.0.0.1'], ['169.254.169.254'])
    expect(
      await post(new WebhookClient('internet-and-loopback', lookup), `http://receiver.test:${port}/hook`),
    ).toEqual({ status: 204 })
    expect(lookups).toEqual(['receiver.test'])
    expect(deliveries).toHaveLength(1)
  })

  test.each([
    ['internet-and-loopback', '0.0.0.0'],
    ['nowhere', '127.0.0.1'],
  ] as const)('that resolves to a forbidden address gets no delivery (%s, %s)', async (targets, address) => {
    const { port, deliveries } = await startReceiver()
    const { lookups, lookup } = createLookup([address])
    expect(await post(new WebhookClient(targets, lookup), `http://receiver.test:${port}/hook`)).toEqual(
      FORBIDDEN,
    )
    expect(lookups).toEqual(['receiver.test'])
    expect(deliveries).toEqual([])
  })
})

test('an IP address in a URL is also checked, although there is no lookup', async () => {
  const { url, deliveries } = await startReceiver()
  expect(await post(new WebhookClient('nowhere'), url)).toEqual(FORBIDDEN)
  expect(deliveries).toEqual([])
  expect(await post(new WebhookClient('internet-and-loopback'), url)).toEqual({ status: 204 })
})
