import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Listener, WebhookListenerOptions } from '../../../../../main/agent/ports/webhooks.ts'
import type { ListenerTimeouts } from '../../../../../main/agent/service/http-listener.ts'
import { listenForWebhooks } from '../../../../../main/agent/service/webhook-receiver.ts'
import { openTempJournal, type TempJournal } from '../../../../support/temp-journal.ts'
import { waitForClose } from '../../../../support/wait-for-close.ts'
import { deliver, eventBody, post, signatureOf } from '../../../../support/webhooks/deliver.ts'

const SECRET = 'whsec_of-this-test'
const NOW_MS = Date.parse('2026-11-15T18:00:00Z')

let temp: TempJournal
let listener: Listener
let refusals: string[]
let storedIds: string[]
let canStore = true

const openReceiver = async (change: Partial<WebhookListenerOptions> = {}, timeouts?: ListenerTimeouts) =>
  listenForWebhooks(
    {
      address: '127.0.0.1',
      port: 0,
      secrets: () => [SECRET],
      nowMs: () => NOW_MS,
      storeEvent: (event) => {
        if (canStore && temp.journal.events.note(event)) storedIds.push(event.id)
        return canStore
      },
      onRefused: (reason) => refusals.push(reason),
      ...change,
    },
    timeouts,
  )

beforeEach(async () => {
  temp = openTempJournal(() => NOW_MS)
  refusals = []
  storedIds = []
  canStore = true
  const result = await openReceiver()
  if (!result.ok) throw new Error(result.detail)
  listener = result.listener
})
afterEach(async () => {
  await listener.close()
  temp.close()
})

const body = eventBody('evt_1', 'ses_1')
const send = (text: string = body, nowMs = NOW_MS, secret = SECRET) =>
  deliver(listener.port, secret, text, nowMs)
const ok = { status: 200, body: '' }

test('stores an event, then answers without a body', async () => {
  expect(await send()).toEqual(ok)
  expect(storedIds).toEqual(['evt_1'])
  expect(temp.journal.events.hasArrivedSince('ses_1', 0)).toBe(true)
})

describe('the receiver stores nothing, and refuses with a status and an empty body:', () => {
  test.each([
    ['a wrong secret', () => send(body, NOW_MS, 'whsec_another'), 401, 'signature-wrong'],
    ['an old timestamp', () => send(body, NOW_MS - 301_000), 401, 'too-old'],
    ['a timestamp of the future', () => send(body, NOW_MS + 301_000), 401, 'too-new'],
    ['no signature', () => post(listener.port, { body }), 401, 'header-missing'],
    [
      'a signature of a different body',
      () =>
        post(listener.port, {
          body: `${body} `,
          headers: { 'service-signature': signatureOf(SECRET, body, NOW_MS / 1000) },
        }),
      401,
      'signature-wrong',
    ],
    ['a signed body that is not an event', () => send('[]'), 400, 'body-unreadable'],
  ])('%s', async (_, sendRequest, status, reason) => {
    expect(await sendRequest()).toEqual({ status, body: '' })
    expect(refusals).toEqual([reason])
    expect(storedIds).toEqual([])
  })

  test('a body larger than any event, with or without Content-Length', async () => {
    const padding = 'x'.repeat(600_000)
    const large = eventBody('evt_1', 'ses_1', { padding })
    // The connection may close before the sender reads the answer.
    expect([{ status: 413, body: '' }, 'cut off']).toContainEqual(await send(large))
    const chunked = await post(listener.port, {
      headers: {
        'transfer-encoding': 'chunked',
        'service-signature': signatureOf(SECRET, large, NOW_MS / 1000),
      },
      body: large,
    })
    expect([{ status: 413, body: '' }, 'cut off']).toContainEqual(chunked)
    expect(refusals).toEqual(['too-large', 'too-large'])
    expect(storedIds).toEqual([])
  })

  test.each([
    ['GET', '/webhooks', 405],
    ['PUT', '/webhooks', 405],
    ['POST', '/', 404],
    ['POST', '/webhooks/more', 404],
    ['GET', '/metrics', 404],
    ['POST', '/%77ebhooks', 404],
  ])('%s %s', async (method, path, status) => {
    const headers = { 'service-signature': signatureOf(SECRET, body, NOW_MS / 1000) }
    expect(
      await post(listener.port, { method, path, headers, ...(method === 'GET' ? {} : { body }) }),
    ).toEqual({
      status,
      body: '',
    })
    expect(storedIds).toEqual([])
  })
})

test('stores a repeated event once, and answers each time', async () => {
  expect(await Promise.all([send(), send(), send()])).toEqual([ok, ok, ok])
  expect(await send()).toEqual(ok)
  expect(storedIds).toEqual(['evt_1'])
})

test('accepts events in any order, of unknown sessions and types', async () => {
  expect(await send(eventBody('evt_2', 'ses_1', { type: 'session.failed', status: 'failed' }))).toEqual(ok)
  expect(await send(eventBody('evt_1', 'ses_1'))).toEqual(ok)
  expect(await send(eventBody('evt_3', 'ses_unknown'))).toEqual(ok)
  expect(await send('{"id":"evt_4","type":"slice.frozen","data":{"object":{"id":7}}}')).toEqual(ok)
  expect(storedIds).toEqual(['evt_2', 'evt_1', 'evt_3', 'evt_4'])
})

test('answers 503 if the journal cannot store an event, and accepts the event on redelivery', async () => {
  canStore = false
  expect(await send()).toEqual({ status: 503, body: '' })
  canStore = true
  expect(await send()).toEqual(ok)
  expect(storedIds).toEqual(['evt_1'])
})

test('confirms exactly the events that it stores, even for 100 concurrent senders', async () => {
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, n) =>
      send(eventBody(`evt_${n}`, 'ses_1')).then((answer) => ({ n, answer })),
    ),
  )
  const confirmed = answers.filter(({ answer }) => answer !== 'cut off')
  for (const { answer } of confirmed) expect(answer).toEqual(ok)
  expect(confirmed.length).toBeGreaterThan(0)
  expect(new Set(storedIds)).toEqual(new Set(confirmed.map(({ n }) => `evt_${n}`)))
})

test('disconnects senders that never finish, so that it can serve others', async () => {
  await listener.close()
  const strictReceiver = await openReceiver({}, { headersMs: 1_000, requestMs: 1_500, checkIntervalMs: 100 })
  if (!strictReceiver.ok) throw new Error(strictReceiver.detail)
  listener = strictReceiver.listener
  const silent = connect(listener.port, '127.0.0.1')
  const slowHeaders = connect(listener.port, '127.0.0.1')
  slowHeaders.write('POST /webhooks HTTP/1.1\r\nHost: x\r\nX-A: ')
  const drip = setInterval(() => slowHeaders.write('a'), 200)
  const slowBody = connect(listener.port, '127.0.0.1')
  slowBody.write('POST /webhooks HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{')
  const dripBody = setInterval(() => slowBody.write(' '), 200)
  for (const socket of [silent, slowHeaders, slowBody]) socket.on('error', () => {}).resume()
  expect(await send()).toEqual(ok)
  await Promise.all([waitForClose(silent), waitForClose(slowHeaders), waitForClose(slowBody)])
  clearInterval(drip)
  clearInterval(dripBody)
  expect(await send(eventBody('evt_2', 'ses_1'))).toEqual(ok)
})

test('refuses connections above the limit, and accepts new connections when others have closed', async () => {
  const sockets = Array.from({ length: 80 }, () => connect(listener.port, '127.0.0.1'))
  for (const socket of sockets) socket.on('error', () => {}).resume()
  await Promise.all(sockets.slice(32).map(waitForClose))
  for (const socket of sockets) socket.destroy()
  let answer = await send()
  while (answer === 'cut off') answer = await send()
  expect(answer).toEqual(ok)
})

test.each([
  ['bytes that are not HTTP', Buffer.from([0, 1, 2, 255, 254, 10, 13, 10])],
  ['a TLS greeting', Buffer.from('16030100c8010000c4', 'hex')],
  ['an endless header', Buffer.from(`POST /webhooks HTTP/1.1\r\nX: ${'a'.repeat(40_000)}`)],
  ['two lengths', Buffer.from('POST /webhooks HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}')],
  [
    'a length and chunks',
    Buffer.from(
      'POST /webhooks HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ),
  ],
])('%s: the receiver closes this connection and accepts the next one', async (_, bytes) => {
  const socket = connect(listener.port, '127.0.0.1')
  socket.on('error', () => {}).resume()
  socket.write(bytes)
  await waitForClose(socket)
  expect(await send()).toEqual(ok)
})

test('a sender that disconnects early leaves nothing behind', async () => {
  const socket = connect(listener.port, '127.0.0.1')
  socket.write('POST /webhooks HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"id":')
  await once(socket, 'connect')
  socket.destroy()
  expect(await send()).toEqual(ok)
  expect(storedIds).toEqual(['evt_1'])
})

test('distinguishes a port in use from an address of another PC', async () => {
  expect(await openReceiver({ port: listener.port })).toMatchObject({ ok: false, reason: 'port-taken' })
  expect(await openReceiver({ address: '192.0.2.1' })).toMatchObject({ ok: false, reason: 'address-missing' })
})

test('accepts nothing without a secret', async () => {
  const result = await openReceiver({ secrets: () => [] })
  if (!result.ok) throw new Error(result.detail)
  expect(await deliver(result.listener.port, SECRET, body, NOW_MS)).toEqual({ status: 401, body: '' })
  await result.listener.close()
  expect(storedIds).toEqual([])
})
