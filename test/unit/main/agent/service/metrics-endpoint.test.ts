import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { MetricsDoorOptions } from '../../../../../main/agent/ports/monitoring.ts'
import type { Door } from '../../../../../main/agent/ports/webhooks.ts'
import { openMetricsDoor } from '../../../../../main/agent/service/metrics-endpoint.ts'
import { post } from '../../../../support/webhooks/deliver.ts'

const TOKEN = 'a-token-of-this-test'
const TEXT = '# TYPE a gauge\na 1\n'

let door: Door
let refused: number
let asked: number

const open = async (change: Partial<MetricsDoorOptions> = {}): Promise<Door> => {
  const opened = await openMetricsDoor({
    address: '127.0.0.1',
    port: 0,
    token: null,
    text: () => {
      asked += 1
      return TEXT
    },
    refused: () => {
      refused += 1
    },
    ...change,
  })
  if (!opened.ok) throw new Error(opened.detail)
  return opened.door
}

beforeEach(async () => {
  refused = 0
  asked = 0
  door = await open()
})
afterEach(() => door.close())

const get = (headers: Record<string, string> = {}, path = '/metrics', method = 'GET') =>
  post(door.port, { method, path, headers })
const withToken = async (token: string) => {
  await door.close()
  door = await open({ token })
}

test('a program on this PC is answered, and so is a person’s own browser', async () => {
  expect(await get()).toEqual({ status: 200, body: TEXT })
  expect(await get({ host: `localhost:${door.port}`, 'sec-fetch-site': 'none' })).toMatchObject({
    status: 200,
  })
  expect(await get({ host: `[::1]:${door.port}` }, '/metrics?name=a')).toMatchObject({ status: 200 })
  expect(await get({}, '/metrics', 'HEAD')).toEqual({ status: 200, body: '' })
})

describe('is refused without a word, and nothing is read for it:', () => {
  test.each([
    ['a page that gave its own name this address', () => get({ host: `evil.example:${door.port}` }), 403],
    ['another port than this', () => get({ host: '127.0.0.1:1' }), 403],
    ['a page of another site', () => get({ origin: 'https://evil.example' }), 403],
    ['a page that asks in the background', () => get({ 'sec-fetch-site': 'cross-site' }), 403],
    ['another path', () => get({}, '/'), 404],
    ['a path that goes on', () => get({}, '/metrics/more'), 404],
    ['another method', () => get({}, '/metrics', 'POST'), 405],
    ['a deletion', () => get({}, '/metrics', 'DELETE'), 405],
  ])('%s', async (_, send, status) => {
    expect(await send()).toEqual({ status, body: '' })
    expect(asked).toBe(0)
    expect(refused).toBe(status === 403 ? 1 : 0)
  })

  test.each([
    ['no token', {}],
    ['another token', { authorization: 'Bearer another-token-of-a-test' }],
    ['a beginning of it', { authorization: `Bearer ${TOKEN.slice(0, -1)}` }],
    ['more than it', { authorization: `Bearer ${TOKEN}x` }],
    ['another scheme', { authorization: `Basic ${TOKEN}` }],
    ['an empty one', { authorization: 'Bearer ' }],
  ])('with a token: %s', async (_, headers) => {
    await withToken(TOKEN)
    expect(await get(headers as Record<string, string>)).toEqual({ status: 401, body: '' })
    expect([asked, refused]).toEqual([0, 1])
  })
})

test('with its token whoever asks is answered, by whatever name', async () => {
  await withToken(TOKEN)
  const headers = { host: 'pc-07.lab.example.com:9464', authorization: `Bearer ${TOKEN}` }
  expect(await get(headers)).toEqual({ status: 200, body: TEXT })
})

test('while there is nothing to tell, that is said', async () => {
  await door.close()
  door = await open({ text: () => null })
  expect(await get()).toEqual({ status: 503, body: '' })
})

test('a port in use and an address of another PC are told, each as what it is', async () => {
  const other = { token: TOKEN, text: () => TEXT, refused: () => {} }
  expect(await openMetricsDoor({ ...other, address: '127.0.0.1', port: door.port })).toMatchObject({
    ok: false,
    reason: 'port-taken',
  })
  expect(await openMetricsDoor({ ...other, address: '192.0.2.1', port: 0 })).toMatchObject({
    ok: false,
    reason: 'address-missing',
  })
})
