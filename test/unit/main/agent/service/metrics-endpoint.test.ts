import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { MetricsListenerOptions } from '../../../../../main/agent/ports/monitoring.ts'
import type { Listener } from '../../../../../main/agent/ports/webhooks.ts'
import { listenForMetrics } from '../../../../../main/agent/service/metrics-endpoint.ts'
import { post } from '../../../../support/webhooks/deliver.ts'

const TOKEN = 'a-token-of-this-test'
const TEXT = '# TYPE a gauge\na 1\n'

let listener: Listener
let refused: number
let reads: number

const open = async (change: Partial<MetricsListenerOptions> = {}): Promise<Listener> => {
  const opened = await listenForMetrics({
    address: '127.0.0.1',
    port: 0,
    token: null,
    text: () => {
      reads += 1
      return TEXT
    },
    refused: () => {
      refused += 1
    },
    ...change,
  })
  if (!opened.ok) throw new Error(opened.detail)
  return opened.listener
}

beforeEach(async () => {
  refused = 0
  reads = 0
  listener = await open()
})
afterEach(() => listener.close())

const get = (headers: Record<string, string> = {}, path = '/metrics', method = 'GET') =>
  post(listener.port, { method, path, headers })
const withToken = async (token: string) => {
  await listener.close()
  listener = await open({ token })
}

test('answers programs on this PC and the browser of its user', async () => {
  expect(await get()).toEqual({ status: 200, body: TEXT })
  expect(await get({ host: `localhost:${listener.port}`, 'sec-fetch-site': 'none' })).toMatchObject({
    status: 200,
  })
  expect(await get({ host: `[::1]:${listener.port}` }, '/metrics?name=a')).toMatchObject({ status: 200 })
  expect(await get({}, '/metrics', 'HEAD')).toEqual({ status: 200, body: '' })
})

describe('the endpoint refuses without a body, and reads no metrics:', () => {
  test.each([
    [
      'a page whose own name points to this address',
      () => get({ host: `evil.example:${listener.port}` }),
      403,
    ],
    ['a different port in the Host header', () => get({ host: '127.0.0.1:1' }), 403],
    ['a page of a different site', () => get({ origin: 'https://evil.example' }), 403],
    ['a page that sends a background request', () => get({ 'sec-fetch-site': 'cross-site' }), 403],
    ['a different path', () => get({}, '/'), 404],
    ['a longer path', () => get({}, '/metrics/more'), 404],
    ['a different method', () => get({}, '/metrics', 'POST'), 405],
    ['a deletion', () => get({}, '/metrics', 'DELETE'), 405],
  ])('%s', async (_, send, status) => {
    expect(await send()).toEqual({ status, body: '' })
    expect(reads).toBe(0)
    expect(refused).toBe(status === 403 ? 1 : 0)
  })

  test.each([
    ['no token', {}],
    ['a wrong token', { authorization: 'Bearer another-token-of-a-test' }],
    ['a prefix of the token', { authorization: `Bearer ${TOKEN.slice(0, -1)}` }],
    ['the token and more', { authorization: `Bearer ${TOKEN}x` }],
    ['a different scheme', { authorization: `Basic ${TOKEN}` }],
    ['an empty token', { authorization: 'Bearer ' }],
  ])('if the settings have a token, a request with %s', async (_, headers) => {
    await withToken(TOKEN)
    expect(await get(headers as Record<string, string>)).toEqual({ status: 401, body: '' })
    expect([reads, refused]).toEqual([0, 1])
  })
})

test('answers every client with the token, whatever the Host header', async () => {
  await withToken(TOKEN)
  const headers = { host: 'pc-07.lab.example.com:9464', authorization: `Bearer ${TOKEN}` }
  expect(await get(headers)).toEqual({ status: 200, body: TEXT })
})

test('answers 503 while there are no metrics', async () => {
  await listener.close()
  listener = await open({ text: () => null })
  expect(await get()).toEqual({ status: 503, body: '' })
})

test('distinguishes a port in use from an address of another PC', async () => {
  const other = { token: TOKEN, text: () => TEXT, refused: () => {} }
  expect(await listenForMetrics({ ...other, address: '127.0.0.1', port: listener.port })).toMatchObject({
    ok: false,
    reason: 'port-taken',
  })
  expect(await listenForMetrics({ ...other, address: '192.0.2.1', port: 0 })).toMatchObject({
    ok: false,
    reason: 'address-missing',
  })
})
