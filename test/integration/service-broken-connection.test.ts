import { describe, expect, test } from 'vitest'
import { clientFor, failureOf, httpServer, never, rawServer } from './service-support.ts'

describe('a connection that fails', () => {
  test('is a network failure if it closes in the middle of the answer', async () => {
    const base = await rawServer((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"id":'))
    })
    expect(failureOf(await clientFor(base).retrieveSession('ses_1', never())).kind).toBe('network')
  })

  test('does not hide the status of an error answer with a truncated body', async () => {
    const base = await rawServer((socket) => {
      socket.once('data', () =>
        socket.end('HTTP/1.1 502 No\r\ncontent-length: 100\r\nrequest-id: req_7\r\n\r\n<'),
      )
    })
    expect(failureOf(await clientFor(base).retrieveSession('ses_1', never()))).toMatchObject({
      kind: 'service',
      status: 502,
      requestId: 'req_7',
    })
  })

  test('counts as cancelled if Sluice closes it itself', async () => {
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>()
    const base = await httpServer(() => arrive())
    const client = clientFor(base)
    const pending = client.retrieveSession('ses_1', never())
    await arrived
    await client.close()
    expect(failureOf(await pending).kind).toBe('cancelled')
    expect(failureOf(await client.retrieveSession('ses_1', never())).kind).toBe('cancelled')
  })

  test('counts as a foreign answer if the server sends bytes that are not HTTP', async () => {
    const base = await rawServer(
      (socket) => void socket.once('data', () => socket.end('SSH-2.0-OpenSSH\r\n')),
    )
    expect(failureOf(await clientFor(base).retrieveSession('ses_1', never())).kind).toBe('foreign-answer')
  })

  test('times out while half-open, before and during the answer', async () => {
    const silentServer = await rawServer(() => {})
    const slowServer = await rawServer((socket) => {
      socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{'))
    })
    for (const base of [silentServer, slowServer]) {
      const client = clientFor(base, { idleTimeoutMs: 100 })
      expect(failureOf(await client.retrieveSession('ses_1', never())).kind).toBe('timeout')
    }
  })

  test('times out if interim answers never end', async () => {
    const base = await rawServer((socket) => {
      socket.once('data', () => {
        const hint = () => socket.write('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n')
        const timer = setInterval(hint, 20)
        socket.once('close', () => clearInterval(timer))
      })
      socket.on('error', () => {})
    })
    const client = clientFor(base, { idleTimeoutMs: 200 })
    expect(failureOf(await client.retrieveSession('ses_1', never())).kind).toBe('timeout')
  })

  test('delivers the final answer that follows an interim one', async () => {
    const base = await rawServer((socket) => {
      socket.once('data', () =>
        socket.end(
          'HTTP/1.1 103 Early Hints\r\nrequest-id: req_hint\r\n\r\n' +
            'HTTP/1.1 502 No\r\ncontent-length: 0\r\nrequest-id: req_8\r\n\r\n',
        ),
      )
    })
    expect(failureOf(await clientFor(base).retrieveSession('ses_1', never()))).toMatchObject({
      kind: 'service',
      requestId: 'req_8',
    })
  })

  test('is closed if the answer never ends', async () => {
    const base = await httpServer((_request, response) => {
      response.writeHead(200, { 'request-id': 'req_big' })
      const chunk = Buffer.alloc(1024 * 1024, 0x20)
      const writeMore = () => {
        while (!response.destroyed && response.write(chunk));
      }
      response.on('drain', writeMore)
      writeMore()
    })
    expect(failureOf(await clientFor(base).retrieveSession('ses_1', never()))).toMatchObject({
      kind: 'unreadable-answer',
      requestId: 'req_big',
    })
  })

  test('counts as cancelled after an abort or a reconnect', async () => {
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>()
    let requests = 0
    const base = await httpServer(() => {
      requests += 1
      if (requests === 2) arrive()
    })
    const client = clientFor(base)
    const controller = new AbortController()
    const aborted = client.retrieveSession('ses_1', controller.signal)
    const dropped = client.retrieveSession('ses_1', never())
    await arrived
    controller.abort()
    expect(failureOf(await aborted).kind).toBe('cancelled')
    client.reconnect()
    // Sluice closed the connection itself, so this is not a network failure.
    expect(failureOf(await dropped).kind).toBe('cancelled')
  })

  test('is a network failure if the host name is unknown', async () => {
    const failure = failureOf(
      await clientFor('https://no-such-host.invalid').retrieveSession('ses_1', never()),
    )
    expect(failure.kind).toBe('network')
  })
})
