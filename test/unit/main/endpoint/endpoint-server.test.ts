import { once } from 'node:events'
import { chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createConnection, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { connectToAgent, type EndpointClient } from '../../../../main/endpoint/endpoint-client.ts'
import { Endpoint, type EndpointOptions } from '../../../../main/endpoint/endpoint-server.ts'
import { frameOf } from '../../../../main/endpoint/frames.ts'
import { loadPeerUserReader } from '../../../../main/endpoint/peer-user.ts'
import { ENDPOINT_PROTOCOL, MAX_REQUEST_BYTES } from '../../../../shared/ipc/endpoint-protocol.ts'
import type { Status } from '../../../../shared/status/status.ts'
import { linux, needs, posix, root } from '../../../support/needs.ts'
import { until } from '../../../support/station.ts'

let folder: string
let endpoint: Endpoint
let calledNames: string[]
let sockets: Socket[]

const place = () => ({ path: path.join(folder, 'agent.sock'), token: null })
const agent = {
  version: '1.2.3',
  pid: 7,
  account: 'station',
  host: 'terminal',
  dataFolder: '/data',
  logFolder: '/data/logs',
  settingsFile: '/data/settings.json',
  startedAt: '2026-03-12T10:00:00Z',
} as const

const openEndpoint = async (change: Partial<EndpointOptions> = {}): Promise<void> => {
  endpoint = await Endpoint.open({
    place: place(),
    groupId: null,
    agent,
    answer: async (name) => {
      calledNames.push(name)
      return { ok: true, value: null }
    },
    reconnect: (reason) => calledNames.push(reason),
    settings: () => null,
    status: () => null,
    log: () => {},
    ...change,
  })
}

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sluice-endpoint-'))
  calledNames = []
  sockets = []
})
afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  await endpoint.close()
  rmSync(folder, { recursive: true, force: true })
})

const connectClient = async (): Promise<EndpointClient> => {
  const client = await connectToAgent(folder, { version: '1.2.3', clientIs: 'this program' })
  if (client === null) throw new Error('no agent listens')
  return client
}

/** A raw connection, on which a test can send any bytes. */
const openRawConnection = async (): Promise<Socket> => {
  const socket = createConnection(place().path)
  sockets.push(socket)
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

const hello = { kind: 'hello', protocol: ENDPOINT_PROTOCOL, version: '1.2.3' }
const isClosed = (socket: Socket) => () => socket.destroyed || socket.readableEnded

/** Reads the whole answer of the endpoint, until it closes the connection. */
const readToEnd = async (socket: Socket): Promise<string> => {
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  await until('the endpoint closes the connection', isClosed(socket))
  return Buffer.concat(chunks).toString('utf8')
}

describe('the endpoint of an agent', needs(posix), () => {
  test('is open to its own account only', async () => {
    await openEndpoint()
    expect(statSync(place().path).mode & 0o777).toBe(0o600)
  })

  test('answers each call with the ID of the call', async () => {
    await openEndpoint({ answer: async (name, args) => ({ ok: true, value: { name, args } }) })
    const client = await connectClient()
    const answers = await Promise.all([
      client.call('pause', { until: null }),
      client.call('getSettings', undefined),
    ])
    expect(answers).toEqual([
      { ok: true, value: { name: 'pause', args: { until: null } } },
      { ok: true, value: { name: 'getSettings' } },
    ])
    expect(client.agent).toEqual(agent)
    client.close()
  })

  test.each([
    ['a newer program', ENDPOINT_PROTOCOL + 1, /The agent is older than this program.*1\.2\.3.*9\.9\.9/],
    ['an older program', ENDPOINT_PROTOCOL - 1, /This program is older than the agent.*1\.2\.3.*9\.9\.9/],
  ])('reports to %s which side is older', async (_, protocol, sentence) => {
    await openEndpoint()
    const socket = await openRawConnection()
    socket.write(frameOf({ kind: 'hello', protocol, version: '9.9.9', fields: 'of a later version' }))
    expect(await readToEnd(socket)).toMatch(sentence)
    expect(calledNames).toEqual([])
  })

  test.each([
    ['a web page', 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}'],
    ['a frame larger than a hello', Buffer.concat([Buffer.from([0, 1, 0, 0]), Buffer.alloc(100)])],
    ['a call before the hello', frameOf({ kind: 'call', id: 1, name: 'pause', args: { until: null } })],
    ['bytes that are not JSON', Buffer.from([0, 0, 0, 3, 1, 2, 3])],
  ])('disconnects %s, and runs nothing', async (_, bytes) => {
    await openEndpoint()
    const socket = await openRawConnection()
    socket.write(bytes)
    expect(await readToEnd(socket)).toBe('')
    expect(calledNames).toEqual([])
  })

  test.each([
    ['a call that no client may make', { kind: 'call', id: 1, name: 'createWebhookEndpoint', args: {} }],
    ['an unknown call', { kind: 'call', id: 1, name: 'constructor', args: {} }],
    ['a message of the main process', { kind: 'configure', settings: null, apiKey: 'svc_test_abc' }],
    ['a request to stop', { kind: 'shutdown' }],
  ])('disconnects a client after %s', async (_, message) => {
    await openEndpoint()
    const socket = await openRawConnection()
    socket.write(frameOf(hello))
    await once(socket, 'data')
    socket.write(frameOf(message))
    await until('the endpoint closes the connection', isClosed(socket))
    expect(calledNames).toEqual([])
  })

  test('disconnects a client that announces a frame above the limit, before it arrives', async () => {
    await openEndpoint()
    const socket = await openRawConnection()
    socket.write(frameOf(hello))
    await once(socket, 'data')
    const length = Buffer.alloc(4)
    length.writeUInt32BE(MAX_REQUEST_BYTES + 1)
    socket.write(length)
    await until('the endpoint closes the connection', isClosed(socket))
  })

  test('reads nothing more from a client that it has refused, and disconnects it', async () => {
    await openEndpoint({ limits: { helloTimeoutMs: 3_600_000 } })
    // This client keeps its side open after the endpoint has closed the other side.
    const socket = createConnection({ path: place().path, allowHalfOpen: true })
    sockets.push(socket)
    let hasFailed = false
    socket.on('error', () => {
      hasFailed = true
    })
    socket.write(frameOf({ kind: 'hello', protocol: ENDPOINT_PROTOCOL + 1, version: '9.9.9' }))
    const [refusal] = (await once(socket, 'data')) as [Buffer]
    expect(refusal.toString('utf8')).toContain('The agent is older than this program')
    await until('the endpoint has closed both sides', () => {
      socket.write('more')
      return hasFailed
    })
  })

  test('a user with many half-open connections disconnects no other user', async () => {
    const users = [1, 2, 1, 1, 1]
    await openEndpoint({
      limits: { halfOpen: 2, helloTimeoutMs: 3_600_000 },
      userOf: () => users.shift() ?? null,
    })
    const [first, other] = [await openRawConnection(), await openRawConnection()]
    const more = [await openRawConnection(), await openRawConnection(), await openRawConnection()]
    for (const socket of [first, ...more.slice(0, 2)])
      await until('the connections of the first user are closed', isClosed(socket))
    other.write(frameOf(hello))
    await until('the other user is a client', () => endpoint.clients === 1)
  })

  test('one user cannot take the places of the others', async () => {
    const users = [1, 1, 1, 2]
    await openEndpoint({ limits: { connectionsOfOneUser: 2 }, userOf: () => users.shift() ?? null })
    const clients = [await connectClient(), await connectClient()]
    await expect(connectClient()).rejects.toThrow('no agent listens')
    for (const client of [...clients, await connectClient()]) client.close()
  })

  test('disconnects a client that sends nothing for a long time, but not during a call', async () => {
    let finishCall = () => {}
    await openEndpoint({
      limits: { idleTimeoutMs: 50 },
      answer: () =>
        new Promise((resolve) => {
          finishCall = () => resolve({ ok: true, value: 1 })
        }),
    })
    const busyClient = await connectClient()
    const call = busyClient.call('resume', undefined)
    const idleClient = await connectClient()
    await until('the idle client is disconnected', () => idleClient.isClosed)
    expect(busyClient.isClosed).toBe(false)
    finishCall()
    expect(await call).toEqual({ ok: true, value: 1 })
    await until('the other client is disconnected too', () => busyClient.isClosed)
  })

  test('refuses an answer that is larger than a client accepts, and the client stays attached', async () => {
    const values: unknown[] = ['x'.repeat(2_000), { toJSON: () => 'x'.repeat(2 ** 30) }, 1]
    await openEndpoint({
      limits: { answerBytes: 1_000 },
      answer: async () => ({ ok: true, value: values.shift() }),
    })
    const client = await connectClient()
    for (const _ of ['above the limit', 'longer than any string'])
      expect(await client.call('makeReceipt', {})).toMatchObject({
        ok: false,
        error: { kind: 'refused', message: expect.stringContaining('too large') },
      })
    expect(await client.call('resume', undefined)).toEqual({ ok: true, value: 1 })
    client.close()
  })

  test('connections that never send hello do not block other clients', async () => {
    await openEndpoint({ limits: { halfOpen: 2, helloTimeoutMs: 3_600_000 } })
    const silent = [await openRawConnection(), await openRawConnection(), await openRawConnection()]
    const client = await connectClient()
    expect((await client.call('pause', { until: null })).ok).toBe(true)
    await until('the oldest connection is closed', isClosed(silent[0]!))
    client.close()
  })

  test('a connection that never sends hello is closed after a while', async () => {
    await openEndpoint({ limits: { helloTimeoutMs: 50 } })
    await until('the connection is closed', isClosed(await openRawConnection()))
  })

  test('refuses clients above the limit, and accepts new clients when others have left', async () => {
    await openEndpoint({ limits: { clients: 1 } })
    const first = await connectClient()
    expect(await connectToAgent(folder, { version: '1', clientIs: 'this program' })).toBeNull()
    first.close()
    await until('a connection is free', () => endpoint.clients === 0)
    ;(await connectClient()).close()
  })

  test('a client that never reads is disconnected, and others are served', async () => {
    const logLines: string[] = []
    await openEndpoint({ limits: { unreadTimeoutMs: 5_000 }, log: (sentence) => logLines.push(sentence) })
    const reader = await connectClient()
    const idleClient = await openRawConnection()
    idleClient.pause()
    idleClient.write(frameOf(hello))
    await until('the client is accepted', () => endpoint.clients === 2)
    const status = { at: 'x'.repeat(4 * 1024 * 1024) } as unknown as Status
    const statuses: Status[] = []
    reader.on('status', (each) => statuses.push(each))
    endpoint.pushStatus(status)
    await until('the idle client is disconnected', () => endpoint.clients === 1)
    await until('the other client gets the status', () => statuses.length > 0)
    expect(logLines).toEqual(['a window or command did not read its messages and was disconnected'])
    reader.close()
  })

  test('refuses too many concurrent calls of one client with a sentence', async () => {
    const pendingAnswers: (() => void)[] = []
    await openEndpoint({
      limits: { callsAtOnce: 1 },
      answer: () => new Promise((resolve) => pendingAnswers.push(() => resolve({ ok: true, value: 1 }))),
    })
    const client = await connectClient()
    const first = client.call('resume', undefined)
    expect(await client.call('resume', undefined)).toMatchObject({ ok: false, error: { kind: 'refused' } })
    for (const answer of pendingAnswers) answer()
    expect(await first).toEqual({ ok: true, value: 1 })
    client.close()
  })

  test('creates one receipt or report at a time for all clients, and refuses too many requests', async () => {
    let running = 0
    let maxRunning = 0
    const pendingAnswers: (() => void)[] = []
    await openEndpoint({
      limits: { callsAtOnce: 2 },
      answer: async () => {
        running += 1
        maxRunning = Math.max(maxRunning, running)
        await new Promise<void>((resolve) => pendingAnswers.push(resolve))
        running -= 1
        return { ok: true, value: 1 }
      },
    })
    const [one, two] = [await connectClient(), await connectClient()]
    const args = { app: {}, agentHealth: {} }
    const first = one.call('makeSupportReport', args)
    await until('the first report is being made', () => pendingAnswers.length === 1)
    const second = one.call('makeSupportReport', args)
    // The endpoint answers this call after the second call of the same client has arrived.
    const resumeCall = one.call('resume', undefined)
    expect(await resumeCall).toMatchObject({ ok: false, error: { kind: 'refused' } })
    expect(await two.call('makeSupportReport', args)).toMatchObject({ ok: false, error: { kind: 'refused' } })
    expect(maxRunning).toBe(1)
    pendingAnswers[0]?.()
    expect(await first).toEqual({ ok: true, value: 1 })
    await until('the second report is being made', () => pendingAnswers.length === 2)
    pendingAnswers[1]?.()
    expect(await second).toEqual({ ok: true, value: 1 })
    expect(maxRunning).toBe(1)
    for (const client of [one, two]) client.close()
  })

  test('disconnects the clients with the most unread messages above a shared limit', async () => {
    const status = { at: 'x'.repeat(4 * 1024 * 1024) } as unknown as Status
    await openEndpoint({ limits: { unreadBytes: 10 * 1024 * 1024 } })
    for (let n = 1; n <= 4; n += 1) {
      const idleClient = await openRawConnection()
      idleClient.pause()
      idleClient.write(frameOf(hello))
      await until('the client is accepted', () => endpoint.clients === n)
    }
    endpoint.pushStatus(status)
    expect(endpoint.clients).toBe(2)
    const reader = await connectClient()
    expect(await reader.call('resume', undefined)).toEqual({ ok: true, value: null })
    reader.close()
  })

  test('many requests to reconnect cause one reconnection at once, and one for all other requests', async () => {
    await openEndpoint({ limits: { reconnectIntervalMs: 100 } })
    const socket = await openRawConnection()
    const other = await openRawConnection()
    for (const each of [socket, other]) each.write(frameOf(hello))
    await until('both are clients', () => endpoint.clients === 2)
    for (let n = 0; n < 50; n += 1) socket.write(frameOf({ kind: 'reconnect', reason: `loop ${n}` }))
    await until('the first request causes a reconnection', () => calledNames.length > 0)
    other.write(frameOf({ kind: 'reconnect', reason: 'network' }))
    await until('the last request is served', () => calledNames.at(-1) === 'network')
    expect(calledNames[0]).toBe('loop 0')
    expect(calledNames.length).toBeLessThan(5)
  })

  test('a socket that a killed agent left behind is replaced', async () => {
    const deadServer = createServer()
    await new Promise<void>((resolve) => {
      deadServer.listen(place().path, resolve)
    })
    // The server cannot remove the renamed socket when it closes, so the file stays, as after kill -9.
    const { rename } = await import('node:fs/promises')
    await rename(place().path, `${place().path}.kept`)
    await new Promise((resolve) => deadServer.close(resolve))
    await rename(`${place().path}.kept`, place().path)
    expect(await connectToAgent(folder, { version: '1', clientIs: 'this program' })).toBeNull()
    await openEndpoint()
    ;(await connectClient()).close()
  })

  test(
    'a client sends nothing to a socket that changed its owner while it connected',
    needs(root),
    async () => {
      await openEndpoint()
      const connecting = connectClient()
      chownSync(place().path, 65_533, 65_533)
      await expect(connecting).rejects.toThrow('does not belong to the account of the agent')
      expect(endpoint.clients).toBe(0)
    },
  )

  test('knows the user of a connection', needs(linux), async () => {
    const users: (number | null)[] = []
    const readUser = loadPeerUserReader()
    await openEndpoint({
      userOf: (socket) => {
        users.push(readUser(socket))
        return null
      },
    })
    ;(await connectClient()).close()
    expect(users).toEqual([process.geteuid?.()])
  })

  test('does not remove a regular file in place of its socket', async () => {
    writeFileSync(place().path, 'a file of a different program')
    await expect(openEndpoint()).rejects.toThrow('is in the way and does not belong to this agent')
    rmSync(place().path)
    await openEndpoint()
  })

  test('a client reports that a different program listens on the socket', async () => {
    await openEndpoint()
    await endpoint.close()
    const other = createServer((socket) =>
      socket.resume().end('HTTP/1.1 200 OK\r\n\r\nhello there, I am a server'),
    )
    await new Promise<void>((resolve) => {
      other.listen(place().path, resolve)
    })
    await expect(connectClient()).rejects.toThrow('not a Sluice agent')
    await new Promise((resolve) => other.close(resolve))
    await openEndpoint()
  })
})
