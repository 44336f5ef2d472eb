import type http from 'node:http'
import { describe, expect, test } from 'vitest'
import { FileChangedError } from '../../main/agent/ports.ts'
import {
  answer,
  clientFor,
  failureOf,
  httpServer,
  KEY,
  partFor,
  rawServer,
  SIGNATURE,
} from './service-support.ts'

const MIB = 1024 * 1024
const xml = (code: string, message = 'no') =>
  `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`

/** Takes the whole body, then answers. */
const storage = (respond: (response: http.ServerResponse, bytes: number) => void) =>
  httpServer((request, response) => {
    let bytes = 0
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
    })
    request.on('end', () => respond(response, bytes))
  })

describe('a part that is sent', () => {
  test('arrives whole, with exact length and checksum, without the key, and gives its ETag verbatim', async () => {
    let seen: http.IncomingHttpHeaders = {}
    let received = 0
    const base = await httpServer((request, response) => {
      seen = request.headers
      request.on('data', (chunk: Buffer) => {
        received += chunk.length
      })
      request.on('end', () => response.writeHead(200, { etag: '"a-b"' }).end())
    })
    let progress = 0
    const onProgress = (bytes: number) => {
      progress += bytes
    }
    const outcome = await clientFor(base).sendPart(partFor(base, { sizeBytes: 5 * MIB + 1, onProgress }))
    expect(outcome).toEqual({ ok: true, value: { etag: '"a-b"' } })
    expect(received).toBe(5 * MIB + 1)
    expect(progress).toBe(5 * MIB + 1)
    expect(seen['content-length']).toBe(String(5 * MIB + 1))
    expect(seen['transfer-encoding']).toBeUndefined()
    expect(seen['x-amz-checksum-sha256']).toBe('c2hhMjU2')
    expect(seen.authorization).toBeUndefined()
  })

  test('names the checksum header as the signed address does', async () => {
    let seen: http.IncomingHttpHeaders = {}
    const base = await httpServer((request, response) => {
      seen = request.headers
      request.resume().on('end', () => response.writeHead(200, { etag: '"x"' }).end())
    })
    const url = `${base}/p?X-Goog-SignedHeaders=host%3Bx-goog-checksum-sha256&sig=1`
    await clientFor(base).sendPart(partFor(base, { url }))
    expect(seen['x-goog-checksum-sha256']).toBe('c2hhMjU2')
    expect(seen['x-amz-checksum-sha256']).toBeUndefined()
  })

  test('reuses its connection for the next part', async () => {
    const ports = new Set<number | undefined>()
    const base = await httpServer((request, response) => {
      ports.add(request.socket.remotePort)
      request.resume().on('end', () => response.writeHead(200, { etag: '"x"' }).end('a body nobody wants'))
    })
    const client = clientFor(base)
    for (let i = 0; i < 5; i++)
      expect((await client.sendPart(partFor(base, { sizeBytes: 10 }))).ok).toBe(true)
    expect(ports.size).toBeLessThan(5)
  })
})

describe("the storage's refusals", () => {
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
    [413, '<html>too big</html>', { kind: 'rejected', status: 413 }],
    [307, '', { kind: 'unreadable-answer' }],
    [200, '', { kind: 'etag-missing' }],
  ])('HTTP %i %s', async (status, body, failure) => {
    const headers = { 'retry-after': '3', 'x-amz-request-id': 'st_9', location: 'http://127.0.0.1:1/?leak=1' }
    const base = await storage((response) => response.writeHead(status, headers).end(body))
    const outcome = await clientFor(base).sendPart(partFor(base))
    expect(failureOf(outcome)).toMatchObject(failure)
    expect(JSON.stringify(outcome)).not.toContain('deadbeef')
  })

  test.each(['destroy', 'resetAndDestroy', 'end'] as const)(
    'an answer before the body is read, not lost in the broken pipe (%s, busy loop)',
    async (how) => {
      const body = xml('AccessDenied', 'Request has expired')
      const base = await rawServer((socket) => {
        socket.once('data', () => {
          socket.write(
            `HTTP/1.1 403 No\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
          )
          socket[how]()
        })
      })
      const client = clientFor(base)
      const busyBody = async function* () {
        for (let sent = 0; sent < 8 * MIB; sent += MIB) {
          yield new Uint8Array(MIB)
          // What hashing a chunk does to the loop: the reset arrives before the next poll.
          const until = performance.now() + 0.5
          while (performance.now() < until);
          await new Promise(setImmediate)
        }
      }
      for (let i = 0; i < 20; i++) {
        const outcome = await client.sendPart(partFor(base, { sizeBytes: 8 * MIB, body: busyBody }))
        expect(failureOf(outcome)).toEqual({ kind: 'url-expired' })
      }
    },
  )

  test('an early success is no success: the storage cannot have what was not sent', async () => {
    const base = await rawServer((socket) => {
      socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\netag: "x"\r\ncontent-length: 0\r\n\r\n'))
    })
    const outcome = await clientFor(base).sendPart(partFor(base, { sizeBytes: 64 * MIB }))
    expect(failureOf(outcome).kind).toBe('unreadable-answer')
  })

  test('an answer without its end still counts by its status', async () => {
    const base = await rawServer((socket) => {
      socket.once('data', () => {
        socket.end('HTTP/1.1 500 No\r\ncontent-length: 5000\r\nx-amz-request-id: st_1\r\n\r\n<Error>')
      })
    })
    const outcome = await clientFor(base).sendPart(partFor(base))
    expect(failureOf(outcome)).toMatchObject({ kind: 'service', status: 500, requestId: 'st_1' })
  })
})

describe('a part whose file or line fails', () => {
  const taker = () => httpServer((request) => void request.resume())
  const bodyOf = (bytes: number, error?: Error) =>
    async function* () {
      yield new Uint8Array(bytes)
      if (error !== undefined) throw error
    }

  test.each([
    ['changed', bodyOf(10, new FileChangedError('mtime')), { kind: 'file-changed', detail: 'mtime' }],
    ['changed after the last byte', bodyOf(100, new FileChangedError('digest')), { kind: 'file-changed' }],
    ['shorter', bodyOf(99), { kind: 'file-changed' }],
    ['longer', bodyOf(101), { kind: 'file-changed' }],
    ['gone', bodyOf(10, Object.assign(new Error('x'), { code: 'ENOENT' })), { kind: 'file-vanished' }],
    [
      'unreadable',
      bodyOf(10, Object.assign(new Error('x'), { code: 'EIO' })),
      { kind: 'file-unreadable', detail: 'EIO' },
    ],
  ])('%s', async (_name, body, failure) => {
    const base = await taker()
    expect(failureOf(await clientFor(base).sendPart(partFor(base, { sizeBytes: 100, body })))).toMatchObject(
      failure,
    )
  })

  test('the storage found the corruption first: still the file that changed', async () => {
    const base = await storage((response) => response.writeHead(400).end(xml('BadDigest')))
    const body = async function* () {
      yield new Uint8Array(100)
      await new Promise((resolve) => setTimeout(resolve, 50))
      throw new FileChangedError('digest')
    }
    const outcome = await clientFor(base).sendPart(partFor(base, { sizeBytes: 100, body }))
    expect(failureOf(outcome).kind).toBe('file-changed')
  })

  test('a half-open line ends by the idle limit, and the source is closed', async () => {
    let closed = false
    const base = await rawServer((socket) => void socket.pause())
    const body = async function* () {
      try {
        for (;;) yield new Uint8Array(MIB)
      } finally {
        closed = true
      }
    }
    const client = clientFor(base, { idleTimeoutMs: 200 })
    const outcome = await client.sendPart(partFor(base, { sizeBytes: 512 * MIB, body }))
    expect(failureOf(outcome).kind).toBe('timeout')
    expect(closed).toBe(true)
  })

  test('no answer after the last byte ends by the idle limit', async () => {
    const base = await taker()
    const outcome = await clientFor(base, { idleTimeoutMs: 100 }).sendPart(partFor(base))
    expect(failureOf(outcome).kind).toBe('timeout')
  })

  test('a slow line that takes little by little is no idle line', async () => {
    const base = await rawServer((socket) => {
      // Takes 1 MiB every 100 ms: the whole body outlasts the idle limit, no single step does.
      let taken = 0
      let budget = 0
      const refill = setInterval(() => {
        budget = MIB
        socket.resume()
      }, 100)
      socket.on('close', () => clearInterval(refill))
      socket.on('data', (chunk: Buffer) => {
        taken += chunk.length
        budget -= chunk.length
        if (budget <= 0) socket.pause()
        if (taken >= 48 * MIB) socket.write('HTTP/1.1 200 OK\r\netag: "x"\r\ncontent-length: 0\r\n\r\n')
      })
    })
    const body = async function* () {
      for (let sent = 0; sent < 48 * MIB; sent += 4 * MIB) yield new Uint8Array(4 * MIB)
    }
    const steps: number[] = []
    const outcome = await clientFor(base, { idleTimeoutMs: 3000 }).sendPart(
      partFor(base, { sizeBytes: 48 * MIB, body, onProgress: (bytes) => steps.push(bytes) }),
    )
    expect(outcome.ok).toBe(true)
    expect(steps.reduce((sum, bytes) => sum + bytes, 0)).toBe(48 * MIB)
    expect(steps.length).toBeGreaterThan(8)
  })

  test('a source that waits for its bandwidth share is no idle line', async () => {
    const base = await storage((response, bytes) => response.writeHead(200, { etag: `"${bytes}"` }).end())
    const body = async function* () {
      yield new Uint8Array(100)
      await new Promise((resolve) => setTimeout(resolve, 4000))
      yield new Uint8Array(100)
    }
    const client = clientFor(base, { idleTimeoutMs: 3000 })
    const outcome = await client.sendPart(partFor(base, { sizeBytes: 200, body }))
    expect(outcome).toEqual({ ok: true, value: { etag: '"200"' } })
  })

  test('a reset is a network failure', async () => {
    const base = await rawServer((socket) => void socket.once('data', () => socket.resetAndDestroy()))
    expect(failureOf(await clientFor(base).sendPart(partFor(base))).kind).toBe('network')
  })

  test('reconnect fails what is in flight at once, and the next part goes through', async () => {
    let stuck = true
    const base = await httpServer((request, response) => {
      request.resume().on('end', () => {
        if (!stuck) response.writeHead(200, { etag: '"x"' }).end()
      })
    })
    const client = clientFor(base)
    const { promise: started, resolve: start } = Promise.withResolvers<void>()
    const sending = client.sendPart(partFor(base, { onProgress: () => start() }))
    await started
    stuck = false
    client.reconnect()
    expect(failureOf(await sending).kind).toBe('network')
    expect((await client.sendPart(partFor(base))).ok).toBe(true)
  })

  test('our own abort is "cancelled", before and while sending', async () => {
    const base = await taker()
    const client = clientFor(base)
    expect(failureOf(await client.sendPart(partFor(base, { signal: AbortSignal.abort() }))).kind).toBe(
      'cancelled',
    )
    const controller = new AbortController()
    const sending = client.sendPart(
      partFor(base, { signal: controller.signal, onProgress: () => controller.abort() }),
    )
    expect(failureOf(await sending).kind).toBe('cancelled')
  })

  test('no text tells the signature or the key', async () => {
    const echo = await httpServer((request, response) => {
      const text = `${request.url} http://h${request.url} ${KEY} https://user:pw@host/`
      request.resume().on('end', () => answer(response, 400, xml('Odd', text)))
    })
    const refused = await rawServer((socket) => void socket.destroy())
    const outcomes = await Promise.all([
      clientFor(echo).sendPart(partFor(echo)),
      clientFor(refused).sendPart(partFor(refused)),
      clientFor(echo).sendPart(partFor('http://not-loopback.example')),
    ])
    for (const outcome of outcomes) {
      const text = JSON.stringify(failureOf(outcome))
      for (const secret of [SIGNATURE, 'deadbeefcafe', KEY, 'user:pw']) expect(text).not.toContain(secret)
    }
  })

  test('an address that is neither https nor on this PC is not called', async () => {
    const outcome = await clientFor('http://127.0.0.1:1').sendPart(partFor('http://storage.example'))
    expect(failureOf(outcome).kind).toBe('unreadable-answer')
  })

  test('a server that is not there', async () => {
    const server = await rawServer(() => {})
    const gone = server.replace(/\d+$/, '9')
    expect(failureOf(await clientFor(gone).sendPart(partFor(gone)))).toMatchObject({ kind: 'network' })
  })
})
