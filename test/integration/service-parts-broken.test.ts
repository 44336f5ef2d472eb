import { describe, expect, test } from 'vitest'
import { FileChangedError } from '../../main/agent/ports/files.ts'
import { MIB } from '../support/station.ts'
import {
  answer,
  clientFor,
  failureOf,
  httpServer,
  KEY,
  partFor,
  rawServer,
  SIGNATURE,
  storage,
  xml,
} from './service-support.ts'

describe('a part whose file or connection fails', () => {
  const acceptingServer = () => httpServer((request) => void request.resume())
  const bodyOf = (bytes: number, error?: Error) =>
    async function* () {
      yield new Uint8Array(bytes)
      if (error !== undefined) throw error
    }

  test.each([
    ['changed', bodyOf(10, new FileChangedError('mtime')), { kind: 'file-changed', detail: 'mtime' }],
    ['changed after the last byte', bodyOf(100, new FileChangedError('digest')), { kind: 'file-changed' }],
    ['shorter than the part', bodyOf(99), { kind: 'file-changed' }],
    ['longer than the part', bodyOf(101), { kind: 'file-changed' }],
    ['gone', bodyOf(10, Object.assign(new Error('x'), { code: 'ENOENT' })), { kind: 'file-vanished' }],
    [
      'unreadable',
      bodyOf(10, Object.assign(new Error('x'), { code: 'EIO' })),
      { kind: 'file-busy', detail: 'EIO' },
    ],
  ])('reports that the file is %s', async (_name, body, failure) => {
    const base = await acceptingServer()
    expect(failureOf(await clientFor(base).sendPart(partFor(base, { sizeBytes: 100, body })))).toMatchObject(
      failure,
    )
  })

  test('reports a changed file even if the storage detects the mismatch first', async () => {
    const base = await storage((response) => response.writeHead(400).end(xml('BadDigest')))
    const body = async function* () {
      yield new Uint8Array(100)
      await new Promise((resolve) => setTimeout(resolve, 50))
      throw new FileChangedError('digest')
    }
    const outcome = await clientFor(base).sendPart(partFor(base, { sizeBytes: 100, body }))
    expect(failureOf(outcome).kind).toBe('file-changed')
  })

  test('times out on a half-open connection, and stops reading the file', async () => {
    let isClosed = false
    const base = await rawServer((socket) => void socket.pause())
    const body = async function* () {
      try {
        for (;;) yield new Uint8Array(MIB)
      } finally {
        isClosed = true
      }
    }
    const client = clientFor(base, { idleTimeoutMs: 200 })
    const outcome = await client.sendPart(partFor(base, { sizeBytes: 512 * MIB, body }))
    expect(failureOf(outcome).kind).toBe('timeout')
    expect(isClosed).toBe(true)
  })

  test('times out if no answer follows the last byte', async () => {
    const base = await acceptingServer()
    const outcome = await clientFor(base, { idleTimeoutMs: 100 }).sendPart(partFor(base))
    expect(failureOf(outcome).kind).toBe('timeout')
  })

  test('does not time out on a slow connection', async () => {
    const base = await rawServer((socket) => {
      // Accepts 1 MiB every 100 ms: the whole body takes longer than the idle timeout, but each step is shorter.
      let receivedBytes = 0
      let budget = 0
      const refill = setInterval(() => {
        budget = MIB
        socket.resume()
      }, 100)
      socket.on('close', () => clearInterval(refill))
      socket.on('data', (chunk: Buffer) => {
        receivedBytes += chunk.length
        budget -= chunk.length
        if (budget <= 0) socket.pause()
        if (receivedBytes >= 48 * MIB)
          socket.write('HTTP/1.1 200 OK\r\netag: "x"\r\ncontent-length: 0\r\n\r\n')
      })
    })
    const body = async function* () {
      for (let sentBytes = 0; sentBytes < 48 * MIB; sentBytes += 4 * MIB) yield new Uint8Array(4 * MIB)
    }
    const steps: number[] = []
    const outcome = await clientFor(base, { idleTimeoutMs: 3000 }).sendPart(
      partFor(base, { sizeBytes: 48 * MIB, body, onProgress: (bytes) => steps.push(bytes) }),
    )
    expect(outcome.ok).toBe(true)
    expect(steps.reduce((sum, bytes) => sum + bytes, 0)).toBe(48 * MIB)
    expect(steps.length).toBeGreaterThan(8)
  })

  test('does not time out while the bandwidth limit holds back its bytes', async () => {
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

  test('reports a reset connection as a network failure', async () => {
    const base = await rawServer((socket) => void socket.once('data', () => socket.resetAndDestroy()))
    expect(failureOf(await clientFor(base).sendPart(partFor(base))).kind).toBe('network')
  })

  test('is cancelled at once if the client reconnects, and the next part succeeds', async () => {
    let isStuck = true
    const base = await httpServer((request, response) => {
      request.resume().on('end', () => {
        if (!isStuck) response.writeHead(200, { etag: '"x"' }).end()
      })
    })
    const client = clientFor(base)
    const { promise: started, resolve: start } = Promise.withResolvers<void>()
    const sending = client.sendPart(partFor(base, { onProgress: () => start() }))
    await started
    isStuck = false
    client.reconnect()
    expect(failureOf(await sending).kind).toBe('cancelled')
    expect((await client.sendPart(partFor(base))).ok).toBe(true)
  })

  test('counts as cancelled after Sluice aborts it, before or while it is sent', async () => {
    const base = await acceptingServer()
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

  test('reports neither the signature nor the key in a message', async () => {
    const echo = await httpServer((request, response) => {
      const text = `${request.url} http://h${request.url} ${KEY} https://user:pw@host/`
      request.resume().on('end', () => answer(response, 400, xml('Odd', text)))
    })
    const refusingServer = await rawServer((socket) => void socket.destroy())
    const outcomes = await Promise.all([
      clientFor(echo).sendPart(partFor(echo)),
      clientFor(refusingServer).sendPart(partFor(refusingServer)),
      clientFor(echo).sendPart(partFor('http://not-loopback.example')),
    ])
    for (const outcome of outcomes) {
      const text = JSON.stringify(failureOf(outcome))
      for (const secret of [SIGNATURE, 'deadbeefcafe', KEY, 'user:pw']) expect(text).not.toContain(secret)
    }
  })

  test('is not sent to a URL that is neither https nor on this PC', async () => {
    const outcome = await clientFor('http://127.0.0.1:1').sendPart(partFor('http://storage.example'))
    expect(failureOf(outcome).kind).toBe('host-refused')
  })

  test('reports a missing server as a network failure', async () => {
    const server = await rawServer(() => {})
    const missingServer = server.replace(/\d+$/, '9')
    expect(failureOf(await clientFor(missingServer).sendPart(partFor(missingServer)))).toMatchObject({
      kind: 'network',
    })
  })
})
