import { connect } from 'node:net'
import { expect } from 'vitest'
import { exchange } from '../raw-http.ts'
import { section } from '../rule.ts'
import { expectError, newSession, patterned } from '../service.ts'

const body = newSession(patterned(10))

const badFilenames = [
  '../../etc/passwd',
  '..',
  '.',
  '/etc/passwd',
  'C:\\Windows\\system.ini',
  'a\\..\\b',
  'a\0b',
  'a\r\nSet-Cookie: x',
  'x'.repeat(4_000),
  '\ud800',
  ' ',
]

export const badInputRules = section('§7, bad input', {
  'path tricks, control characters and 4,000-character names in filename are 400 with param': async ({
    service,
  }) => {
    for (const filename of badFilenames) {
      const answer = await service.call('POST', '/v1/sessions', { body: { ...body, filename } })
      expectError(answer, 400, 'invalid_request', 'parameter_invalid', 'filename')
    }
  },
  'odd but valid names are kept unchanged': async ({ service }) => {
    for (const filename of ['größe 日本 🎥.mcap', '..a', 'a;b&c=%2e%2e', '-rf', "o'clock.csv", '__proto__']) {
      const { id } = await service.create(patterned(10), { filename })
      expect((await service.retrieve(id)).filename).toBe(filename)
    }
  },
  'a body that is empty, or not a JSON object in UTF-8, is 400': async ({ service }) => {
    for (const raw of ['', '{', 'null', '[]', '7', '"x"', '{"site":}', Buffer.from([0xff, 0xfe, 0x7b])]) {
      expectError(await service.call('POST', '/v1/sessions', { raw }), 400, 'invalid_request', 'body_invalid')
    }
  },
  'JSON with __proto__ and 100,000 nested arrays is 400': async ({ service }) => {
    const nested = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    const raw = `{"__proto__":{"site":"x"},"constructor":{},"site":${nested}}`
    expectError(await service.call('POST', '/v1/sessions', { raw }), 400, 'invalid_request')
  },
  'JSON above the size limit is 400, even before the body arrives if its length is declared': async ({
    service,
  }) => {
    const raw = JSON.stringify({ ...body, notes: 'x'.repeat(300_000) })
    expectError(await service.call('POST', '/v1/sessions', { raw }), 400, 'invalid_request', 'body_too_large')
    const { host } = new URL(service.sandbox.baseUrl)
    const declaredTooLarge = await exchange(
      service.sandbox.baseUrl,
      `POST /v1/sessions HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${service.sandbox.keys.write}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 99999999999\r\n\r\n{',
    )
    expect(declaredTooLarge).toMatch(/^HTTP\/1\.1 400 .*body_too_large/s)
    const chunked = { 'transfer-encoding': 'chunked' }
    const streamed = await service.call('POST', '/v1/sessions', { raw, headers: chunked })
    expectError(streamed, 400, 'invalid_request', 'body_too_large')
  },
  'wrong content types are 400': async ({ service }) => {
    for (const type of [
      '',
      'text/json',
      'application/x-www-form-urlencoded',
      'application/json; charset=latin1',
    ]) {
      const answer = await service.call('POST', '/v1/sessions', { body, headers: { 'content-type': type } })
      expectError(answer, 400, 'invalid_request', 'content_type_invalid')
    }
    const utf8 = { 'content-type': 'application/json; charset=utf-8' }
    expect((await service.call('POST', '/v1/sessions', { body, headers: utf8 })).status).toBe(200)
  },
  'completing with 10,001 parts is 400': async ({ service }) => {
    const { id } = await service.create(patterned(10))
    const parts = Array.from({ length: 10_001 }, (_, n) => ({ number: n + 1, etag: '"x"' }))
    const answer = await service.call('POST', `/v1/sessions/${id}/complete`, { body: { parts } })
    expectError(answer, 400, 'invalid_request', 'parameter_invalid', 'parts')
  },
  'header injection and malformed HTTP get an error object and affect no other client': async ({
    service,
  }) => {
    const attempts = [
      'GET /v1/sessions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer a\0b\r\n\r\n',
      'GET /v1/sessions HTTP/1.1\r\nHost: x\r\nBad Header: x\r\n\r\n',
      `GET /v1/sessions HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(100_000)}\r\n\r\n`,
      'POST /v1/sessions HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      'NONSENSE\r\n\r\n',
    ]
    for (const attempt of attempts) {
      const answer = await exchange(service.sandbox.baseUrl, attempt)
      expect(answer).toMatch(/^HTTP\/1\.1 400 /)
      expect(answer).toMatch(/\r\nRequest-Id: req_\w+\r\n/)
      expect(answer).toMatch(/\r\nRateLimit-Limit: \d+\r\n/)
      expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))).error.type).toBe('invalid_request')
    }
    expect((await service.call('GET', '/v1/sessions')).status).toBe(200)
  },
  'odd paths are 404, never a file': async ({ service }) => {
    const paths = [
      '/v1/sessions/..%2f..%2fetc',
      '/v1/%2e%2e%2fv1/sessions',
      '/v1//sessions',
      '/V1/sessions',
      '/v1/sessions%00',
    ]
    for (const path of paths) expectError(await service.call('GET', path), 404, 'not_found')
  },
  'slow clients are cut off with an error, and others are served meanwhile': async ({ launch }) => {
    const { service } = await launch('--client-timeout', '1')
    const { baseUrl, keys } = service.sandbox
    const { port, hostname, host } = new URL(baseUrl)
    const partialRequests = [
      'GET /v1/sessions HTT',
      `POST /v1/sessions HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${keys.write}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"site"',
    ]
    const slowAnswers = Array.from({ length: 200 }, (_, n) => exchange(baseUrl, partialRequests[n % 2]!))
    const idleSocket = connect(Number(port), hostname)
    expect((await service.call('GET', '/v1/sessions')).status).toBe(200)
    for (const answer of await Promise.all(slowAnswers))
      expect(answer).toMatch(/^HTTP\/1\.1 400 .*request_timeout/s)
    idleSocket.destroy()
  },
})
