import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { MetricsListenerOptions } from '../../../../../main/agent/ports/monitoring.ts'
import type { Listener } from '../../../../../main/agent/ports/webhooks.ts'
import { listenForMetrics } from '../../../../../main/agent/service/metrics-endpoint.ts'
import { post } from '../../../../support/webhooks/deliver.ts'

const TOKEN = 'a-token-of-this-test'
const TEXT = '# TYPE a gauge\na 1\n'

let listener: Listener
let refusals: number
let reads: number

const openListener = async (change: Partial<MetricsListenerOptions> = {}): Promise<Listener> => {
  const result = await listenForMetrics({
    address: '127.0.0.1',
    port: 0,
    token: null,
    text: () => {
      reads += 1
      return TEXT
    },
    onRefused: () => {
      refusals += 1
    },
    ...change,
  })
  if (!result.ok) throw new Error(result.detail)
  return result.listener
}

beforeEach(async () => {
  refusals = 0
  reads = 0
  listener = await openListener()
})
afterEach(() => listener.close())

const request = (headers: Record<string, string> = {}, path = '/metrics', method = 'GET') =>
  post(listener.port, { method, path, headers })
const reopenWithToken = async (token: string) => {
  await listener.close()
  listener = await openListener({ token })
}

test('answers programs and the user’s browser on this PC', async () => {
  expect(await request()).toEqual({ status: 200, body: TEXT })
  expect(await request({ host: `localhost:${listener.port}`, 'sec-fetch-site': 'none' })).toMatchObject({
    status: 200,
  })
  expect(await request({ host: `[::1]:${listener.port}` }, '/metrics?name=a')).toMatchObject({ status: 200 })
  expect(await request({}, '/metrics', 'HEAD')).toEqual({ status: 200, body: '' })
})

describe('the endpoint reads no metrics, and refuses with a status and an empty body:', () => {
  test.each([
    [
      'a page whose host name resolves to this PC',
      () => request({ host: `evil.example:${listener.port}` }),
      403,
    ],
    ['a different port in the Host header', () => request({ host: '127.0.0.1:1' }), 403],
    ['a page of a different site', () => request({ origin: 'https://evil.example' }), 403],
    ['a page that sends a background request', () => request({ 'sec-fetch-site': 'cross-site' }), 403],
    ['a different path', () => request({}, '/'), 404],
    ['a longer path', () => request({}, '/metrics/more'), 404],
    ['a different method', () => request({}, '/metrics', 'POST'), 405],
    ['a deletion', () => request({}, '/metrics', 'DELETE'), 405],
  ])('%s', async (_, send, status) => {
    expect(await send()).toEqual({ status, body: '' })
    expect(reads).toBe(0)
    expect(refusals).toBe(status === 403 ? 1 : 0)
  })

  test.each([
    ['no token', {}],
    ['a wrong token', { authorization: 'Bearer another-token-of-a-test' }],
    ['a prefix of the token', { authorization: `Bearer ${TOKEN.slice(0, -1)}` }],
    ['the token and more', { authorization: `Bearer ${TOKEN}x` }],
    ['a different scheme', { authorization: `Basic ${TOKEN}` }],
    ['an empty token', { authorization: 'Bearer ' }],
  ])('if the settings have a token, a request with %s', async (_, headers) => {
    await reopenWithToken(TOKEN)
    expect(await request(headers as Record<string, string>)).toEqual({ status: 401, body: '' })
    expect([reads, refusals]).toEqual([0, 1])
  })
})

test('answers every client that sends the token, with any Host header', async () => {
  await reopenWithToken(TOKEN)
  const headers = { host: 'pc-07.lab.example.com:9464', authorization: `Bearer ${TOKEN}` }
  expect(await request(headers)).toEqual({ status: 200, body: TEXT })
})

test('answers 503 while there are no metrics', async () => {
  await listener.close()
  listener = await openListener({ text: () => null })
  expect(await request()).toEqual({ status: 503, body: '' })
})

test('distinguishes a port in use from an address of another PC', async () => {
  const options = { token: TOKEN, text: () => TEXT, onRefused: () => {} }
  expect(await listenForMetrics({ ...options, address: '127.0.0.1', port: listener.port })).toMatchObject({
    ok: false,
    reason: 'port-taken',
  })
  expect(await listenForMetrics({ ...options, address: '192.0.2.1', port: 0 })).toMatchObject({
    ok: false,
    reason: 'address-missing',
  })
})
