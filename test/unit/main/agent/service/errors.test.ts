import { expect, test } from 'vitest'
import { decide } from '../../../../../main/agent/domain/retry-policy.ts'
import { failureOfError } from '../../../../../main/agent/service/errors.ts'
import { hasNetwork } from '../../../../../main/agent/service/network-addresses.ts'

const withCode = (code: string) => Object.assign(new Error(code), { code })

const codeOf = (error: Error, isNetworkThere: boolean, origin: 'control' | 'storage' = 'control') => {
  const context = { origin, host: 'api.example.com', scrub: (text: string) => text, trustProblem: null }
  const failure = failureOfError(error, context, () => isNetworkThere)
  const decision = decide(failure, { attempt: 1, streak: 3, isSessionLost: false }, () => 0)
  return 'code' in decision ? decision.code : null
}

test.each(['ECONNREFUSED', 'ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'ECONNRESET'])(
  '%s: the service is unreachable, whatever the addresses of this PC are',
  (code) => {
    expect(codeOf(withCode(code), true)).toBe('service-unreachable')
    expect(codeOf(withCode(code), false)).toBe('service-unreachable')
  },
)

test.each(['ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH'])(
  '%s: only without any address is it the network',
  (code) => {
    expect(codeOf(withCode(code), true)).toBe('service-unreachable')
    expect(codeOf(withCode(code), false)).toBe('network-missing')
    expect(codeOf(withCode(code), false, 'storage')).toBe('network-missing')
  },
)

test('reports no network if the system says so', () => {
  expect(codeOf(withCode('ENETUNREACH'), true)).toBe('network-missing')
  expect(codeOf(new Error('fetch failed', { cause: withCode('ENETDOWN') }), true)).toBe('network-missing')
})

test('a refused address among several shows that there is a network', () => {
  const refused = [withCode('ENETUNREACH'), withCode('ECONNREFUSED')]
  const all = Object.assign(new AggregateError(refused), { code: 'ENETUNREACH' })
  expect(codeOf(all, true)).toBe('service-unreachable')
  const none = Object.assign(new AggregateError([withCode('ENETUNREACH'), withCode('ENETUNREACH')]), {
    code: 'ENETUNREACH',
  })
  expect(codeOf(none, true)).toBe('network-missing')
})

test('addresses that a PC gives itself do not count as a network', () => {
  const address = (text: string, internal = false) => [{ address: text, internal }]
  expect(hasNetwork({})).toBe(false)
  expect(hasNetwork({ lo: address('127.0.0.1', true), eth0: address('169.254.7.1') })).toBe(false)
  expect(hasNetwork({ eth0: address('fe80::1') })).toBe(false)
  expect(hasNetwork({ eth0: [...address('fe80::1'), ...address('192.168.1.20')] })).toBe(true)
})
