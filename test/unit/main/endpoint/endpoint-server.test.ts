import { once } from 'node:events'
import { chownSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { connectToAgent } from '../../../../main/endpoint/endpoint-client.ts'
import { frameOf } from '../../../../main/endpoint/frames.ts'
import { loadPeerUserReader } from '../../../../main/endpoint/peer-user.ts'
import { ENDPOINT_PROTOCOL } from '../../../../shared/ipc/endpoint-protocol.ts'
import { linux, needs, posix, root } from '../../../support/needs.ts'
import { until } from '../../../support/station.ts'
import { agentIdentity, hello, isClosed, TestEndpoint } from '../../../support/test-endpoint.ts'

let bench: TestEndpoint
beforeEach(() => {
  bench = new TestEndpoint()
})
afterEach(() => bench.close())

/** Reads the whole answer of the endpoint, until it closes the connection. */
const readToEnd = async (socket: Socket): Promise<string> => {
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  await until('the endpoint closes the connection', isClosed(socket))
  return Buffer.concat(chunks).toString('utf8')
}

describe('the endpoint of an agent', needs(posix), () => {
  test('is open to its own account only', async () => {
    await bench.open()
    expect(statSync(bench.place.path).mode & 0o777).toBe(0o600)
  })

  test('answers each call with the ID of the call', async () => {
    await bench.open({ answer: async (name, args) => ({ ok: true, value: { name, args } }) })
    const client = await bench.connectClient()
    const answers = await Promise.all([
      client.call('pause', { until: null }),
      client.call('getSettings', undefined),
    ])
    expect(answers).toEqual([
      { ok: true, value: { name: 'pause', args: { until: null } } },
      { ok: true, value: { name: 'getSettings' } },
    ])
    expect(client.agent).toEqual(agentIdentity)
    client.close()
  })

  test.each([
    ['a newer program', ENDPOINT_PROTOCOL + 1, /The agent is older than this program.*1\.2\.3.*9\.9\.9/],
    ['a program with protocol 2', 2, /This program is older than the agent/],
    ['an older program', ENDPOINT_PROTOCOL - 1, /This program is older than the agent.*1\.2\.3.*9\.9\.9/],
  ])('reports to %s which side is older', async (_, protocol, sentence) => {
    await bench.open()
    const socket = await bench.openRawConnection()
    socket.write(frameOf({ kind: 'hello', protocol, version: '9.9.9', fields: 'of a later version' }))
    expect(await readToEnd(socket)).toMatch(sentence)
    expect(bench.calledNames).toEqual([])
  })

  test.each([
    ['a web page', 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}'],
    ['a frame larger than a hello', Buffer.concat([Buffer.from([0, 1, 0, 0]), Buffer.alloc(100)])],
    ['a call before the hello', frameOf({ kind: 'call', id: 1, name: 'pause', args: { until: null } })],
    ['bytes that are not JSON', Buffer.from([0, 0, 0, 3, 1, 2, 3])],
  ])('disconnects %s, and runs nothing', async (_, bytes) => {
    await bench.open()
    const socket = await bench.openRawConnection()
    socket.write(bytes)
    expect(await readToEnd(socket)).toBe('')
    expect(bench.calledNames).toEqual([])
  })

  test.each([
    ['a call that no client may make', { kind: 'call', id: 1, name: 'createWebhookEndpoint', args: {} }],
    ['an unknown call', { kind: 'call', id: 1, name: 'constructor', args: {} }],
    ['a message of the main process', { kind: 'configure', settings: null, apiKey: 'svc_test_abc' }],
    ['a request to stop', { kind: 'shutdown' }],
  ])('disconnects a client after %s', async (_, message) => {
    await bench.open()
    const socket = await bench.openRawConnection()
    socket.write(frameOf(hello))
    await once(socket, 'data')
    socket.write(frameOf(message))
    await until('the endpoint closes the connection', isClosed(socket))
    expect(bench.calledNames).toEqual([])
  })

  test('replaces a socket that a killed agent left behind', async () => {
    const deadServer = createServer()
    await new Promise<void>((resolve) => {
      deadServer.listen(bench.place.path, resolve)
    })
    // A server removes its socket when it closes. The rename prevents this, as `kill -9` does.
    const { rename } = await import('node:fs/promises')
    await rename(bench.place.path, `${bench.place.path}.kept`)
    await new Promise((resolve) => deadServer.close(resolve))
    await rename(`${bench.place.path}.kept`, bench.place.path)
    expect(await connectToAgent(bench.folder, { version: '1', clientIs: 'this program' })).toBeNull()
    await bench.open()
    ;(await bench.connectClient()).close()
  })

  test(
    'gets nothing from a client if the owner of the socket changes while the client connects',
    needs(root),
    async () => {
      await bench.open()
      const connecting = bench.connectClient()
      chownSync(bench.place.path, 65_533, 65_533)
      await expect(connecting).rejects.toThrow('does not belong to the account of the agent')
      expect(bench.clients).toBe(0)
    },
  )

  test('knows the user of a connection', needs(linux), async () => {
    const users: (number | null)[] = []
    const readUser = loadPeerUserReader()
    await bench.open({
      userOf: (socket) => {
        users.push(readUser(socket))
        return null
      },
    })
    ;(await bench.connectClient()).close()
    expect(users).toEqual([process.geteuid?.()])
  })

  test('does not remove a regular file in place of its socket', async () => {
    writeFileSync(bench.place.path, 'a file of a different program')
    await expect(bench.open()).rejects.toThrow('is in the way and does not belong to this agent')
    rmSync(bench.place.path)
    await bench.open()
  })

  test('cannot be replaced by a different program that listens on the socket', async () => {
    await bench.open()
    await bench.endpoint.close()
    const other = createServer((socket) =>
      socket.resume().end('HTTP/1.1 200 OK\r\n\r\nhello there, I am a server'),
    )
    await new Promise<void>((resolve) => {
      other.listen(bench.place.path, resolve)
    })
    await expect(bench.connectClient()).rejects.toThrow('not a Sluice agent')
    await new Promise((resolve) => other.close(resolve))
    await bench.open()
  })
})
