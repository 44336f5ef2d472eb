import type http from 'node:http'
import { describe, expect, test } from 'vitest'
import { MIB } from '../support/station.ts'
import { clientFor, failureOf, httpServer, partFor, rawServer, storage, xml } from './service-support.ts'

test('Sluice accepts an ETag of 1,024 characters and treats a longer one as missing', async () => {
  const base = await httpServer((request, response) => {
    request.resume().on('end', () => {
      response.setHeader('etag', 'e'.repeat(request.url === '/1024' ? 1024 : 1025))
      response.end()
    })
  })
  const client = clientFor(base)
  expect((await client.sendPart({ ...partFor(base), url: `${base}/1024` })).ok).toBe(true)
  expect(failureOf(await client.sendPart({ ...partFor(base), url: `${base}/1025` })).kind).toBe(
    'etag-missing',
  )
})

describe('a part that is sent', () => {
  test('arrives complete, with its exact length and checksum but without the API key; the client returns the ETag verbatim', async () => {
    let receivedHeaders: http.IncomingHttpHeaders = {}
    let receivedBytes = 0
    const base = await httpServer((request, response) => {
      receivedHeaders = request.headers
      request.on('data', (chunk: Buffer) => {
        receivedBytes += chunk.length
      })
      request.on('end', () => response.writeHead(200, { etag: '"a-b"' }).end())
    })
    let progress = 0
    const onProgress = (bytes: number) => {
      progress += bytes
    }
    const outcome = await clientFor(base).sendPart(partFor(base, { sizeBytes: 5 * MIB + 1, onProgress }))
    expect(outcome).toEqual({ ok: true, value: { etag: '"a-b"' } })
    expect(receivedBytes).toBe(5 * MIB + 1)
    expect(progress).toBe(5 * MIB + 1)
    expect(receivedHeaders['content-length']).toBe(String(5 * MIB + 1))
    expect(receivedHeaders['transfer-encoding']).toBeUndefined()
    expect(receivedHeaders['x-amz-checksum-sha256']).toBe('c2hhMjU2')
    expect(receivedHeaders.authorization).toBeUndefined()
  })

  test('uses the checksum header that the signed URL names', async () => {
    let receivedHeaders: http.IncomingHttpHeaders = {}
    const base = await httpServer((request, response) => {
      receivedHeaders = request.headers
      request.resume().on('end', () => response.writeHead(200, { etag: '"x"' }).end())
    })
    const url = `${base}/p?X-Goog-SignedHeaders=host%3Bx-goog-checksum-sha256&sig=1`
    await clientFor(base).sendPart(partFor(base, { url }))
    expect(receivedHeaders['x-goog-checksum-sha256']).toBe('c2hhMjU2')
    expect(receivedHeaders['x-amz-checksum-sha256']).toBeUndefined()
  })

  test('reuses its connection for the next part', async () => {
    const ports = new Set<number | undefined>()
    const base = await httpServer((request, response) => {
      ports.add(request.socket.remotePort)
      request.resume().on('end', () => response.writeHead(200, { etag: '"x"' }).end('an unexpected body'))
    })
    const client = clientFor(base)
    for (let i = 0; i < 5; i++)
      expect((await client.sendPart(partFor(base, { sizeBytes: 10 }))).ok).toBe(true)
    expect(ports.size).toBeLessThan(5)
  })
})

describe('the sender of a part', () => {
  test.each([
    [403, xml('AccessDenied', 'Request has expired'), { kind: 'url-expired' }],
    [400, xml('ExpiredToken'), { kind: 'url-expired' }],
    [403, xml('SignatureDoesNotMatch'), { kind: 'rejected', status: 403, code: 'SignatureDoesNotMatch' }],
    [403, xml('AccessDenied', 'Access Denied'), { kind: 'rejected', status: 403 }],
    [400, xml('BadDigest'), { kind: 'part-corrupt' }],
    [400, xml('InvalidDigest'), { kind: 'part-corrupt' }],
    [503, xml('SlowDown'), { kind: 'rate-limited', retryAfterMs: 3000 }],
    [429, '', { kind: 'rate-limited', retryAfterMs: 3000 }],
    [500, xml('InternalError'), { kind: 'service', status: 500 }],
    [404, xml('NoSuchUpload'), { kind: 'rejected', status: 404, code: 'NoSuchUpload' }],
    [413, '<html>too big</html>', { kind: 'foreign-answer' }],
    [403, '<!DOCTYPE html><html><Code>AccessDenied</Code></html>', { kind: 'foreign-answer' }],
    [307, '', { kind: 'foreign-answer' }],
    [200, '', { kind: 'etag-missing' }],
  ])('reports the kind of failure for HTTP %i %s', async (status, body, failure) => {
    const headers = { 'retry-after': '3', 'x-amz-request-id': 'st_9', location: 'http://127.0.0.1:1/?leak=1' }
    const base = await storage((response) => response.writeHead(status, headers).end(body))
    const outcome = await clientFor(base).sendPart(partFor(base))
    expect(failureOf(outcome)).toMatchObject(failure)
    expect(JSON.stringify(outcome)).not.toContain('deadbeef')
  })

  test('treats an HTML page with an ETag as a failure, and an empty body labelled as HTML as a success', async () => {
    const headers = { etag: '"x"', 'content-type': 'text/html' }
    let body = '<html>Sign in</html>'
    const base = await storage((response) => response.writeHead(200, headers).end(body))
    expect(failureOf(await clientFor(base).sendPart(partFor(base))).kind).toBe('foreign-answer')
    body = ''
    expect(await clientFor(base).sendPart(partFor(base))).toMatchObject({ ok: true })
  })

  test.each(['destroy', 'resetAndDestroy', 'end'] as const)(
    'reads an early answer despite the broken pipe (%s, busy event loop)',
    async (closeMethod) => {
      const body = xml('AccessDenied', 'Request has expired')
      const base = await rawServer((socket) => {
        socket.once('data', () => {
          socket.write(
            `HTTP/1.1 403 No\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
          )
          socket[closeMethod]()
        })
      })
      const client = clientFor(base)
      const busyBody = async function* () {
        for (let sentBytes = 0; sentBytes < 8 * MIB; sentBytes += MIB) {
          yield new Uint8Array(MIB)
          // Blocks the event loop as long as hashing a chunk does. So the connection reset arrives before Node reads
          // the answer.
          const endMs = performance.now() + 0.5
          while (performance.now() < endMs);
          await new Promise(setImmediate)
        }
      }
      for (let i = 0; i < 20; i++) {
        const outcome = await client.sendPart(partFor(base, { sizeBytes: 8 * MIB, body: busyBody }))
        expect(failureOf(outcome)).toEqual({ kind: 'url-expired' })
      }
    },
  )

  test('treats an early success as a failure, because the storage cannot have all bytes yet', async () => {
    const base = await rawServer((socket) => {
      socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\netag: "x"\r\ncontent-length: 0\r\n\r\n'))
    })
    const outcome = await clientFor(base).sendPart(partFor(base, { sizeBytes: 64 * MIB }))
    expect(failureOf(outcome).kind).toBe('foreign-answer')
  })

  test('reports the HTTP status even if the answer is cut off', async () => {
    const base = await rawServer((socket) => {
      socket.once('data', () => {
        socket.end('HTTP/1.1 500 No\r\ncontent-length: 5000\r\nx-amz-request-id: st_1\r\n\r\n<Error>')
      })
    })
    const outcome = await clientFor(base).sendPart(partFor(base))
    expect(failureOf(outcome)).toMatchObject({ kind: 'service', status: 500, requestId: 'st_1' })
  })
})
