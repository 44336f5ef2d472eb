import type http from 'node:http'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import {
  answer,
  clientFor,
  collectLog,
  errorAnswer,
  failureOf,
  httpServer,
  KEY,
  never,
} from './service-support.ts'

const upload = (overrides: Readonly<Record<string, unknown>> = {}) => ({
  part_size: 8_388_608,
  expires_at: '2030-01-01T00:00:00Z',
  parts: [
    { number: 2, url: 'https://storage.example/2?sig=deadbeefcafe' },
    { number: 1, url: 'https://storage.example/1?sig=deadbeefcafe' },
  ],
  ...overrides,
})
const created = (overrides: Readonly<Record<string, unknown>> = {}) => ({
  id: 'ses_1',
  object: 'session',
  status: 'uploading',
  upload: upload(),
  ...overrides,
})
const request = { site: 'yard', filename: 'a.mcap', bytes: 1, sha256: 'ab' }

type ReceivedRequest = {
  readonly method: string
  readonly url: string
  readonly headers: http.IncomingHttpHeaders
  readonly body: string
}

const service = async (respond: (response: http.ServerResponse, received: ReceivedRequest) => void) => {
  const received: ReceivedRequest[] = []
  const base = await httpServer(async (incoming, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const { method = '', url = '', headers } = incoming
    const receivedRequest = { method, url, headers, body: Buffer.concat(chunks).toString('utf8') }
    received.push(receivedRequest)
    respond(response, receivedRequest)
  })
  return { base, received }
}

describe('a call to the service', () => {
  // RFC 9110, 12.5.3: without the header `Accept-Encoding`, every encoding is acceptable.
  test('asks gateways not to compress', async () => {
    const { base } = await service((response, { headers }) => {
      const type = { 'content-type': 'application/json', 'request-id': 'req_1' }
      if (headers['accept-encoding'] === 'identity') return answer(response, 200, created())
      response
        .writeHead(200, { ...type, 'content-encoding': 'gzip' })
        .end(gzipSync(JSON.stringify(created())))
    })
    expect(await clientFor(base).createSession(request, 'idem-1', never())).toMatchObject({ ok: true })
  })

  test('that creates a session sends the body, the key and the idempotency key, and sorts the parts', async () => {
    const { base, received } = await service((response) => answer(response, 200, created()))
    const outcome = await clientFor(base).createSession(request, 'idem-1', never())
    expect(outcome).toEqual({
      ok: true,
      value: {
        requestId: 'req_1',
        value: {
          id: 'ses_1',
          upload: {
            partSizeBytes: 8_388_608,
            expiresAtMs: Date.UTC(2030, 0, 1),
            parts: [
              { number: 1, url: 'https://storage.example/1?sig=deadbeefcafe' },
              { number: 2, url: 'https://storage.example/2?sig=deadbeefcafe' },
            ],
          },
        },
      },
    })
    expect(received[0]).toMatchObject({ method: 'POST', url: '/v1/sessions', body: JSON.stringify(request) })
    expect(received[0]?.headers).toMatchObject({
      authorization: `Bearer ${KEY}`,
      'content-type': 'application/json',
      'idempotency-key': 'idem-1',
    })
  })

  test('that retrieves a session accepts unknown fields and an unknown state', async () => {
    const session = {
      id: 'ses_1',
      status: 'simmering',
      site: 'yard',
      bytes: 'many',
      channels: ['lidar', 7],
      issues: [{ code: 'new', severity: 'fatal', detail: 'd' }, 'odd'],
      moon: 'full',
    }
    const { base } = await service((response) => answer(response, 200, session))
    const outcome = await clientFor(base).retrieveSession('ses_1', never())
    expect(outcome).toMatchObject({
      ok: true,
      value: {
        value: {
          status: 'simmering',
          site: 'yard',
          bytes: null,
          channels: ['lidar'],
          issues: [{ code: 'new', severity: 'warning', detail: 'd' }],
          upload: null,
        },
      },
    })
  })

  test('that completes or deletes a session, or registers a webhook, sends what the contract requires', async () => {
    const { base, received } = await service((response, { method, url }) => {
      if (method === 'DELETE') answer(response, 200, { id: 'ses_1', object: 'session', deleted: true })
      else if (url.endsWith('/complete')) answer(response, 200, { id: 'ses_1', status: 'processing' })
      else answer(response, 200, { id: 'whe_1', object: 'webhook_endpoint', secret: 'whsec_x' })
    })
    const { log, lines } = collectLog()
    const client = clientFor(base, { log })
    const parts = { parts: [{ number: 1, etag: '"a"' }] }
    expect(await client.completeSession('ses_1', parts, 'idem-2', never())).toMatchObject({
      ok: true,
      value: { value: { status: 'processing' } },
    })
    expect((await client.deleteSession('ses_1', never())).ok).toBe(true)
    expect(
      await client.createWebhookEndpoint('https://a.example/', ['session.processed'], 'idem-3', never()),
    ).toMatchObject({ ok: true, value: { value: { id: 'whe_1', secret: 'whsec_x' } } })
    expect(received.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST /v1/sessions/ses_1/complete',
      'DELETE /v1/sessions/ses_1',
      'POST /v1/webhook_endpoints',
    ])
    expect(received[1]?.headers['content-type']).toBeUndefined()
    expect(lines).toEqual([])
  })

  test('that lists sessions sends every filter, skips invalid sessions, and refuses a repeated cursor', async () => {
    const { base, received } = await service((response) =>
      answer(response, 200, {
        object: 'list',
        data: [{ id: 'ses_1', status: 'processing' }, { id: '', status: 'x' }, null],
        has_more: true,
        next_cursor: 'c2',
      }),
    )
    const { log, lines } = collectLog()
    const client = clientFor(base, { log })
    const filter = {
      site: 'a&b',
      status: 'processing',
      createdFrom: 'f',
      createdBefore: 'b',
      limit: 500,
      cursor: 'c1',
    }
    const outcome = await client.listSessions(filter, never())
    expect(outcome).toMatchObject({
      ok: true,
      value: { value: { sessions: [{ id: 'ses_1' }], nextCursor: 'c2' } },
    })
    const query = new URL(received[0]?.url ?? '', base).searchParams
    expect(Object.fromEntries(query)).toEqual({
      site: 'a&b',
      status: 'processing',
      'created[gte]': 'f',
      'created[lt]': 'b',
      limit: '500',
      cursor: 'c1',
    })
    expect(lines).toHaveLength(1)
    expect(failureOf(await client.listSessions({ cursor: 'c2' }, never())).kind).toBe('unreadable-answer')
  })

  test.each([
    [400, { ok: true, value: 'write' }],
    [403, { ok: true, value: 'read' }],
    [401, { ok: false, failure: { kind: 'auth', reason: 'refused' } }],
    [500, { ok: false, failure: { kind: 'service' } }],
  ])(
    'that tests a key sends a create request with an empty body, and judges by the answer: %i',
    async (status, expected) => {
      const { base } = await service((response, { method }) =>
        method === 'GET'
          ? answer(response, 200, { data: [], has_more: false })
          : answer(response, status, errorAnswer('x')),
      )
      expect(await clientFor(base).testKey(never())).toMatchObject(expected)
    },
  )
})

test('a 403 for the list proves nothing about write permission or the owner of a session', async () => {
  const { base } = await service((response, { method }) =>
    answer(response, method === 'GET' ? 403 : 400, errorAnswer('no')),
  )
  const client = clientFor(base)
  expect(failureOf(await client.listSessions({}, never()))).toMatchObject({ kind: 'list-refused' })
  expect(await client.testKey(never())).toMatchObject({ ok: true, value: 'write' })
})

describe('the client of the service', () => {
  const html = '<!DOCTYPE html><html>hotel wifi</html>'
  test.each<[number, unknown, object]>([
    [401, errorAnswer('key'), { kind: 'auth', reason: 'refused', requestId: 'req_1' }],
    [403, errorAnswer('other'), { kind: 'other-organisation', requestId: 'req_1' }],
    [404, errorAnswer('gone'), { kind: 'not-found', requestId: 'req_1' }],
    [
      409,
      errorAnswer('checksum_mismatch', 'm'),
      { kind: 'conflict', code: 'checksum_mismatch', message: 'm' },
    ],
    [422, errorAnswer('slice'), { kind: 'rejected', status: 422, code: 'slice', requestId: 'req_1' }],
    [429, errorAnswer('slow'), { kind: 'rate-limited', retryAfterMs: 0, requestId: 'req_1' }],
    [500, html, { kind: 'service', status: 500, requestId: 'req_1' }],
    [503, errorAnswer('x'), { kind: 'service', status: 503, retryAfterMs: 0 }],
    [407, html, { kind: 'proxy-sign-in' }],
    // With these statuses, an HTML page never counts as the service's answer, even with a `Request-Id`.
    ...[400, 401, 403, 404, 409, 422].map((status): [number, unknown, object] => [
      status,
      html,
      { kind: 'foreign-answer', requestId: 'req_1' },
    ]),
    [404, '<!-- a gateway --><p>No such page</p>', { kind: 'foreign-answer' }],
    [404, '<?xml version="1.0"?><Error><Code>NoSuchPage</Code></Error>', { kind: 'foreign-answer' }],
    [200, html, { kind: 'foreign-answer', detail: 'HTTP 200 with an HTML page', requestId: 'req_1' }],
    [302, html, { kind: 'foreign-answer', requestId: 'req_1' }],
    [204, '', { kind: 'foreign-answer', requestId: 'req_1' }],
  ])('reports the kind of failure for HTTP %i %j', async (status, body, failure) => {
    const headers = { 'retry-after': '0', location: 'https://portal.example/?token=deadbeefcafe' }
    const { base } = await service((response) => answer(response, status, body, headers))
    const outcome = await clientFor(base).retrieveSession('ses_1', never())
    expect(failureOf(outcome)).toMatchObject(failure)
    expect(JSON.stringify(outcome)).not.toContain('deadbeefcafe')
  })

  test.each([200, 404])(
    'reports an HTML page above the size limit as a foreign answer: HTTP %i',
    async (status) => {
      const page = `<html>${'x'.repeat(5_000_000)}`
      const { base } = await service((response) => answer(response, status, page))
      const failure = failureOf(await clientFor(base).completeSession('ses_1', { parts: [] }, 'k', never()))
      expect(failure.kind).toBe('foreign-answer')
    },
  )

  test("accepts JSON labelled as HTML as the service's answer", async () => {
    const html = { 'content-type': 'text/html' }
    const { base } = await service((response) => answer(response, 404, errorAnswer('gone'), html))
    expect(failureOf(await clientFor(base).retrieveSession('ses_1', never())).kind).toBe('not-found')
  })

  test('follows no redirect, so the key goes nowhere else', async () => {
    const otherService = await service((response) => answer(response, 200, created()))
    const { base } = await service((response) =>
      answer(response, 307, '', { location: `${otherService.base}/v1` }),
    )
    await clientFor(base).createSession(request, 'k', never())
    expect(otherService.received).toEqual([])
  })

  test.each<[string, unknown]>([
    ['truncated JSON', '{"id":"ses_1","upl'],
    ['an array', []],
    ['null', null],
    ['no id', created({ id: undefined })],
    ['an empty id', created({ id: '' })],
    ['an id with ../', created({ id: '../keys' })],
    ['a numeric id', created({ id: 7 })],
    ['no upload', created({ upload: undefined })],
    ['part size as text', created({ upload: upload({ part_size: '8388608' }) })],
    ['expiry "soon"', created({ upload: upload({ expires_at: 'soon' }) })],
    ['part 0', created({ upload: upload({ parts: [{ number: 0, url: 'https://a.example/' }] }) })],
    [
      'http to a different PC',
      created({ upload: upload({ parts: [{ number: 1, url: 'http://a.example/?s=deadbeefcafe' }] }) }),
    ],
    ['a relative URL', created({ upload: upload({ parts: [{ number: 1, url: '/p?s=deadbeefcafe' }] }) })],
    ['a file URL', created({ upload: upload({ parts: [{ number: 1, url: 'file:///etc/passwd' }] }) })],
    [
      'a part twice',
      created({ upload: upload({ parts: [1, 1].map((number) => ({ number, url: 'https://a.example/' })) }) }),
    ],
  ])('reports an unreadable answer: %s', async (_name, body) => {
    const { base } = await service((response) => answer(response, 200, body))
    const client = clientFor(base)
    const outcome = await client.createSession(request, 'k', never())
    expect(failureOf(outcome)).toMatchObject({ kind: 'unreadable-answer', requestId: 'req_1' })
    expect(JSON.stringify(outcome)).not.toContain('deadbeefcafe')
    const retrieved = await client.retrieveSession('ses_1', never())
    if (_name !== 'no upload') expect(failureOf(retrieved).kind).toBe('unreadable-answer')
  })

  test('refuses an answer about a different session', async () => {
    const { base } = await service((response) => answer(response, 200, { id: 'ses_2', status: 'processed' }))
    expect(failureOf(await clientFor(base).retrieveSession('ses_1', never())).kind).toBe('unreadable-answer')
  })

  test('redacts a message that contains the key or a signed URL', async () => {
    const message = `bad ${KEY} at https://s.example/p?X-Amz-Signature=deadbeefcafe`
    const { base } = await service((response) => answer(response, 422, errorAnswer('c', message)))
    const text = JSON.stringify(await clientFor(base).createSession(request, 'k', never()))
    expect(text).toContain('bad [removed] at https://s.example/p')
    expect(text).not.toContain(KEY)
    expect(text).not.toContain('deadbeefcafe')
  })
})
