import type { IncomingMessage } from 'node:http'
import { describe, expect, test } from 'vitest'
import { clientAddress, parseProxies } from '../../../server/client-address.ts'

const requestFrom = (remoteAddress: string, headers: Record<string, string>) =>
  ({ socket: { remoteAddress }, headers }) as unknown as IncomingMessage

const proxies = parseProxies('10.0.0.5, 192.168.0.0/16, 2001:db8::/32')!

describe('the address of a client', () => {
  test.each([
    ['is the address of the connection if there is no proxy', '203.0.113.7', {}, '203.0.113.7'],
    [
      'is not taken from X-Forwarded-For of an untrusted sender',
      '203.0.113.7',
      { 'x-forwarded-for': '198.51.100.1' },
      '203.0.113.7',
    ],
    [
      'is not taken from Forwarded of an untrusted sender',
      '203.0.113.7',
      { forwarded: 'for=198.51.100.1' },
      '203.0.113.7',
    ],
    [
      'is taken from the header of a trusted proxy',
      '10.0.0.5',
      { 'x-forwarded-for': '198.51.100.1' },
      '198.51.100.1',
    ],
    [
      'is taken from the header of a proxy in a trusted network',
      '::ffff:192.168.3.4',
      { forwarded: 'for=198.51.100.1' },
      '198.51.100.1',
    ],
    [
      'is the last address in the header that is not a trusted proxy',
      '10.0.0.5',
      { 'x-forwarded-for': '1.1.1.1, 198.51.100.1, 192.168.0.9' },
      '198.51.100.1',
    ],
    [
      'may be IPv6 with a port',
      '2001:db8::9',
      { forwarded: 'proto=https;for="[2001:db9::1]:4711";by=x, for=10.0.0.5' },
      '2001:db9::1',
    ],
    [
      'is taken from Forwarded if there is also X-Forwarded-For',
      '10.0.0.5',
      { forwarded: 'for=198.51.100.1', 'x-forwarded-for': '1.1.1.1' },
      '198.51.100.1',
    ],
    [
      'is the address of the proxy if the proxy hides the client',
      '10.0.0.5',
      { forwarded: 'for=_hidden' },
      '10.0.0.5',
    ],
    [
      'is the address of the proxy if the header is invalid',
      '10.0.0.5',
      { 'x-forwarded-for': '<script>' },
      '10.0.0.5',
    ],
  ])('%s', (_, remoteAddress, headers, expected) => {
    expect(clientAddress(requestFrom(remoteAddress, headers as Record<string, string>), proxies)).toBe(
      expected,
    )
  })

  test('is never taken from a header if no proxy is trusted', () => {
    expect(clientAddress(requestFrom('10.0.0.5', { 'x-forwarded-for': '1.1.1.1' }), null)).toBe('10.0.0.5')
  })
})

test.each(['', 'proxy.lab', '10.0.0.0/33', '10.0.0.0/8/8', '10.0.0.5;10.0.0.6'])(
  'the list of proxies "%s" is refused',
  (text) => {
    expect(parseProxies(text)).toBeNull()
  },
)
