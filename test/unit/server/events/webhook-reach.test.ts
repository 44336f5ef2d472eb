import type { LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { mayReach } from '../../../../server/events/reach.ts'
import { WebhookClient } from '../../../../server/events/webhook-client.ts'
import { type Receiver, receiver } from '../../../contract/webhook-receiver.ts'

const HERE = ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1']
const OUTSIDE = ['93.184.215.14', '8.8.8.8', '2606:4700::1111', '::ffff:8.8.8.8', '172.32.0.1', '100.128.0.1']
const INSIDE = [
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

describe('the addresses that webhooks may call', () => {
  test.each(INSIDE)('%s is in no public network', (address) => {
    expect(mayReach('public', 'https:', address)).toBe(false)
    expect(mayReach('anywhere', 'https:', address)).toBe(true)
  })

  test.each([...HERE, ...OUTSIDE])('%s may be called, but never by the sandbox inside the app', (address) => {
    expect(mayReach('public', 'https:', address)).toBe(true)
    expect(mayReach('nowhere', 'https:', address)).toBe(false)
  })

  test('a server for several organisations calls neither itself nor a private network', () => {
    for (const address of [...HERE, ...INSIDE])
      expect(mayReach('internet', 'https:', address), address).toBe(false)
    for (const address of OUTSIDE) {
      expect(mayReach('internet', 'https:', address), address).toBe(true)
      expect(mayReach('internet', 'http:', address), address).toBe(false)
    }
  })

  test('without encryption, only this computer is called', () => {
    for (const address of [...INSIDE, ...OUTSIDE]) {
      expect(mayReach('public', 'http:', address), address).toBe(false)
      expect(mayReach('anywhere', 'http:', address), address).toBe(false)
    }
    for (const address of HERE) expect(mayReach('public', 'http:', address), address).toBe(true)
  })
})

/** A host name that resolves differently each time, as an attacker's may. */
const resolving = (...answers: readonly string[][]) => {
  const lookups: string[] = []
  const lookup: LookupFunction = (hostname, _options, callback) => {
    const addresses = answers[lookups.length] ?? []
    lookups.push(hostname)
    const found: LookupAddress[] = addresses.map((address) => ({ address, family: isIP(address) }))
    callback(null, found)
  }
  return { lookups, lookup }
}

const listening = async (): Promise<Receiver & { readonly port: string }> => {
  const hook = await receiver()
  onTestFinished(() => hook.close())
  return { ...hook, port: new URL(hook.url).port }
}

const post = async (client: WebhookClient, url: string) => {
  onTestFinished(() => client.close())
  return client.post(url, { body: '{}', headers: {}, signal: AbortSignal.timeout(60_000) })
}

describe('a host name', () => {
  test('is connected at the checked address, without a second lookup', async () => {
    const { port, deliveries } = await listening()
    const { lookups, lookup } = resolving(['169.254.169.254', '127.0.0.1'], ['169.254.169.254'])
    expect(await post(new WebhookClient('public', lookup), `http://receiver.test:${port}/hook`)).toBe(204)
    expect(lookups).toEqual(['receiver.test'])
    expect(deliveries).toHaveLength(1)
  })

  // 0.0.0.0 reaches the receiver if it is not checked.
  test.each([
    ['public', '0.0.0.0'],
    ['nowhere', '127.0.0.1'],
  ] as const)('gets nothing at a forbidden address (%s, %s)', async (targets, address) => {
    const { port, deliveries } = await listening()
    const { lookups, lookup } = resolving([address])
    expect(await post(new WebhookClient(targets, lookup), `http://receiver.test:${port}/hook`)).toBeNull()
    expect(lookups).toEqual(['receiver.test'])
    expect(deliveries).toEqual([])
  })
})

test('checks an address in a URL although there is no lookup', async () => {
  const { url, deliveries } = await listening()
  expect(await post(new WebhookClient('nowhere'), url)).toBeNull()
  expect(deliveries).toEqual([])
  expect(await post(new WebhookClient('public'), url)).toBe(204)
})
