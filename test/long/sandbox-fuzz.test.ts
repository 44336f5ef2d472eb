import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { exchange, type RawAnswer } from '../contract/raw-http.ts'
import { launch } from '../contract/sandbox-process.ts'
import { newSession, patterned, Service } from '../contract/service.ts'
import { runs } from '../support/runs.ts'

/** A fixed seed, so that a failure can be repeated. Change the seed to test different inputs. */
const seed = 20_260_101
const fuzzOptions = (count: number) => ({ seed, numRuns: runs(count) })
let service: Service
/** A session that waits for its parts, so that a fuzzed completion passes the first checks. */
let uploadingId: string
let cursor: string

beforeAll(async () => {
  const sandbox = await launch('--min-part-size', '1000', '--rate-limit', '1000000')
  service = new Service(sandbox)
  uploadingId = (await service.create(patterned(2_500))).id
  cursor = (await service.call('GET', '/v1/sessions?limit=1')).json().next_cursor as string
  return () => sandbox.stop()
})

const sessionBody = { ...newSession(patterned(10)), device: 'arm', notes: 'n' }
const endpoint = { url: 'https://example.com/hook', events: ['session.processed'] }
const completion = { parts: [1, 2, 3].map((number) => ({ number, etag: '"x"' })) }

const routes = [
  ['creating a session', () => '/v1/sessions', sessionBody],
  ['completing a session', () => `/v1/sessions/${uploadingId}/complete`, completion],
  ['completing an unknown session', () => '/v1/sessions/ses_none/complete', completion],
  ['creating a webhook endpoint', () => '/v1/webhook_endpoints', endpoint],
] as const

/**
 * Checks that the answer has a request ID and a rate limit, and that it is a 200 or one of the refusals with a complete
 * error object.
 */
function expectAnswer(answer: RawAnswer, refusals: readonly number[]): void {
  const requestId = answer.headers['request-id']
  expect(requestId).toMatch(/^req_\w+$/)
  expect(answer.headers['ratelimit-limit']).toBe('1000000')
  if (answer.status === 200) return
  expect(refusals).toContain(answer.status)
  const { error } = answer.json() as { error: Record<string, string> }
  for (const name of ['type', 'code', 'message', 'param']) expect(error[name]).toBeTypeOf('string')
  expect(error.request_id).toBe(requestId)
}

test.each(routes)('%s accepts or refuses any JSON, without a 5xx', async (_, path) => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), async (json) => {
      expectAnswer(await service.call('POST', path(), { raw: JSON.stringify(json) }), [400, 404])
    }),
    fuzzOptions(150),
  )
})

test.each(routes)(
  '%s accepts or refuses a valid body with one field replaced, without a 5xx',
  async (_, path, valid) => {
    const field = fc.constantFrom(...Object.keys(valid))
    await fc.assert(
      fc.asyncProperty(field, fc.jsonValue(), async (name, value) => {
        expectAnswer(
          await service.call('POST', path(), { body: { ...valid, [name]: value } }),
          [400, 404, 409],
        )
      }),
      fuzzOptions(150),
    )
  },
)

test.each(routes)('%s accepts or refuses any bytes, without a 5xx', async (_, path) => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 500 }), async (bytes) => {
      expectAnswer(await service.call('POST', path(), { raw: Buffer.from(bytes) }), [400, 404])
    }),
    fuzzOptions(100),
  )
})

test('completing a session accepts or refuses parts with one item replaced or added, without a 5xx', async () => {
  const item = fc.oneof(
    fc.record({ number: fc.oneof(fc.integer(), fc.double()), etag: fc.string({ unit: 'binary' }) }),
    fc.jsonValue(),
  )
  await fc.assert(
    fc.asyncProperty(fc.nat(3), item, async (index, value) => {
      const parts = completion.parts.toSpliced(index, 1, value as never)
      expectAnswer(
        await service.call('POST', `/v1/sessions/${uploadingId}/complete`, { body: { parts } }),
        [400, 409],
      )
    }),
    fuzzOptions(150),
  )
})

test('creating a webhook endpoint accepts or refuses any address and any events, without a 5xx', async () => {
  const scheme = fc.constantFrom('https:', 'http:', 'HTTPS:', 'file:', 'javascript:', '')
  const anyUrl = fc
    .tuple(
      scheme,
      fc.constantFrom('//', '/', '\\\\', ''),
      fc.oneof(fc.webAuthority(), fc.string()),
      fc.string(),
    )
    .map((pieces) => pieces.join(''))
  const event = fc.oneof(fc.constantFrom(...endpoint.events, 'session.failed'), fc.string())
  await fc.assert(
    fc.asyncProperty(anyUrl, fc.array(event, { maxLength: 120 }), async (url, events) => {
      const answer = await service.call('POST', '/v1/webhook_endpoints', { body: { url, events } })
      expectAnswer(answer, [400])
      // §4.7: every accepted URL is https, or on this PC.
      if (answer.status === 200)
        expect(new URL(url).href).toMatch(/^(https:|http:\/\/(localhost|127\.|\[::1\]))/)
    }),
    fuzzOptions(300),
  )
})

test('listing sessions accepts or refuses any query, without a 5xx', async () => {
  const name = fc.constantFrom('limit', 'cursor', 'site', 'status', 'created[gte]', 'created[lt]', 'x')
  const value = fc.oneof(fc.string({ unit: 'binary' }), fc.integer().map(String), fc.double().map(String))
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(name, value), { maxLength: 4 }), async (pairs) => {
      const wellFormed = pairs.map(([key, text]) => [key, text.toWellFormed()])
      expectAnswer(await service.call('GET', `/v1/sessions?${new URLSearchParams(wellFormed)}`), [400])
    }),
    fuzzOptions(200),
  )
})

test('listing sessions refuses an invalid limit, and never returns more sessions than a valid limit', async () => {
  const limit = fc.oneof(
    fc.integer({ min: -10, max: 600 }).map(String),
    fc.constantFrom('', '1e2', '0x5', '٣', '5 '),
  )
  await fc.assert(
    fc.asyncProperty(limit, async (text) => {
      const answer = await service.call('GET', `/v1/sessions?limit=${encodeURIComponent(text)}`)
      expectAnswer(answer, [400])
      const isValid = /^[1-9]\d*$/.test(text) && Number(text) <= 500
      expect(answer.status).toBe(isValid ? 200 : 400)
      if (isValid) expect((answer.json().data as unknown[]).length).toBeLessThanOrEqual(Number(text))
    }),
    fuzzOptions(150),
  )
})

test('listing sessions refuses a cursor with any character replaced', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat(cursor.length - 1),
      fc.string({ minLength: 1, maxLength: 2 }),
      async (index, text) => {
        const changedCursor = `${cursor.slice(0, index)}${text}${cursor.slice(index + 1)}`
        fc.pre(changedCursor !== cursor)
        const answer = await service.call('GET', `/v1/sessions?cursor=${encodeURIComponent(changedCursor)}`)
        expectAnswer(answer, [400])
        expect(answer.status).toBe(400)
      },
    ),
    fuzzOptions(200),
  )
})

/** Any bytes, including line breaks and NUL, which no HTTP library would send in a header. */
const rawHeaderValue = fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes).toString('latin1'))

test.each([
  ['Idempotency-Key', 'POST', sessionBody],
  ['Authorization', 'POST', sessionBody],
  ['Content-Type', 'POST', sessionBody],
  ['X-Anything', 'GET', undefined],
])(
  'any bytes in the header %s get an answer with a request ID and without an injected header',
  async (name, method, body) => {
    const text = body === undefined ? '' : JSON.stringify(body)
    const otherHeaders: Record<string, string> = {
      Authorization: `Bearer ${service.sandbox.keys.write}`,
      'Content-Type': 'application/json',
    }
    delete otherHeaders[name]
    const { host } = new URL(service.sandbox.baseUrl)
    const otherLines = Object.entries(otherHeaders).map(([header, value]) => `${header}: ${value}\r\n`)
    const injection = '\r\nX-Injected: yes\r\nContent-Length: 3'
    const value = fc.oneof(
      rawHeaderValue,
      rawHeaderValue.map((bytes) => `${bytes}${injection}`),
      fc.constant(`a${injection}\r\n\r\nx`),
    )
    await fc.assert(
      fc.asyncProperty(value, async (bytes) => {
        const head = `${method} /v1/sessions HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${otherLines.join('')}`
        const request = `${head}Content-Length: ${Buffer.byteLength(text)}\r\n${name}: ${bytes}\r\n\r\n${text}`
        const answer = await exchange(service.sandbox.baseUrl, Buffer.from(request, 'latin1'))
        expect(answer).toMatch(/^HTTP\/1\.1 (200|400|401|403|409) /)
        expect(answer).toMatch(/\r\nRequest-Id: req_\w+\r\n/i)
        expect(answer.slice(0, answer.indexOf('\r\n\r\n'))).not.toMatch(/injected/i)
      }),
      fuzzOptions(100),
    )
  },
)

test('the sandbox still works after all these requests', async () => {
  expect((await service.waitUntilProcessed(await service.upload(patterned(2_500)))).status).toBe('processed')
})
