import { expect, test } from 'vitest'
import { decide } from '../../../../../main/agent/domain/retry-policy.ts'
import { failureOfError } from '../../../../../main/agent/service/errors.ts'
import { hasNetwork } from '../../../../../main/agent/service/network-addresses.ts'

const withCode = (code: string) => Object.assign(new Error(code), { code })

const problemCodeOf = (error: Error, hasAddress: boolean, origin: 'control' | 'storage' = 'control') => {
  const context = { origin, host: 'api.example.com', scrub: (text: string) => text, trustProblem: null }
  const failure = failureOfError(error, context, () => hasAddress)
  const decision = decide(failure, { attempt: 1, streak: 3, isSessionLost: false }, () => 0)
  return 'code' in decision ? decision.code : null
}

test.each(['ECONNREFUSED', 'ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'ECONNRESET'])(
  '%s: the service is unreachable, whether or not this PC has an address',
  (code) => {
    expect(problemCodeOf(withCode(code), true)).toBe('service-unreachable')
    expect(problemCodeOf(withCode(code), false)).toBe('service-unreachable')
  },
)

test.each(['ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH'])(
  '%s: the network is missing only if this PC has no address',
  (code) => {
    expect(problemCodeOf(withCode(code), true)).toBe('service-unreachable')
    expect(problemCodeOf(withCode(code), false)).toBe('network-missing')
    expect(problemCodeOf(withCode(code), false, 'storage')).toBe('network-missing')
  },
)

test('the network is missing if the system reports that it is unreachable or down', () => {
  expect(problemCodeOf(withCode('ENETUNREACH'), true)).toBe('network-missing')
  expect(problemCodeOf(new Error('fetch failed', { cause: withCode('ENETDOWN') }), true)).toBe(
    'network-missing',
  )
})

test('a refused connection at one of several addresses proves that there is a network', () => {
  const errors = [withCode('ENETUNREACH'), withCode('ECONNREFUSED')]
  const mixedErrors = Object.assign(new AggregateError(errors), { code: 'ENETUNREACH' })
  expect(problemCodeOf(mixedErrors, true)).toBe('service-unreachable')
  const unreachableErrors = Object.assign(
    new AggregateError([withCode('ENETUNREACH'), withCode('ENETUNREACH')]),
    {
      code: 'ENETUNREACH',
    },
  )
  expect(problemCodeOf(unreachableErrors, true)).toBe('network-missing')
})

test('addresses that a PC gives itself do not count as a network', () => {
  const address = (text: string, internal = false) => [{ address: text, internal }]
  expect(hasNetwork({})).toBe(false)
  expect(hasNetwork({ lo: address('127.0.0.1', true), eth0: address('169.254.7.1') })).toBe(false)
  expect(hasNetwork({ eth0: address('fe80::1') })).toBe(false)
  expect(hasNetwork({ eth0: [...address('fe80::1'), ...address('192.168.1.20')] })).toBe(true)
})
