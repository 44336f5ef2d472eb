import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createConnection, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { connectToAgent, type EndpointClient } from '../../../../main/endpoint/endpoint-client.ts'
import { Endpoint, type EndpointOptions } from '../../../../main/endpoint/endpoint-server.ts'
import { frameOf } from '../../../../main/endpoint/frames.ts'
import { ENDPOINT_PROTOCOL, MAX_REQUEST_BYTES } from '../../../../shared/ipc/endpoint-protocol.ts'
import type { Status } from '../../../../shared/status/status.ts'
import { needs, posix } from '../../../support/needs.ts'
import { until } from '../../../support/station.ts'

let folder: string
let endpoint: Endpoint
let called: string[]
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

const open = async (change: Partial<EndpointOptions> = {}): Promise<void> => {
  endpoint = await Endpoint.open({
    place: place(),
    groupId: null,
    agent,
    answer: async (name) => {
      called.push(name)
      return { ok: true, value: null }
    },
    reconnect: (reason) => called.push(reason),
    settings: () => null,
    status: () => null,
    log: () => {},
    ...change,
  })
}

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sluice-endpoint-'))
  called = []
  sockets = []
})
afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  await endpoint.close()
  rmSync(folder, { recursive: true, force: true })
})

const connect = async (): Promise<EndpointClient> => {
  const client = await connectToAgent(folder, { version: '1.2.3', clientIs: 'this program' })
  if (client === null) throw new Error('no agent listens')
  return client
}

/** A raw connection, on which a test can send any bytes. */
const rawConnection = async (): Promise<Socket> => {
  const socket = createConnection(place().path)
  sockets.push(socket)
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

const hello = { kind: 'hello', protocol: ENDPOINT_PROTOCOL, version: '1.2.3' }
const isClosed = (socket: Socket) => () => socket.destroyed || socket.readableEnded

/** Reads the whole answer of the endpoint, until it closes the connection. */
const everythingFrom = async (socket: Socket): Promise<string> => {
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  await until('the endpoint closes the connection', isClosed(socket))
  return Buffer.concat(chunks).toString('utf8')
}

describe('the endpoint of an agent', needs(posix), () => {
  test('is open to its own account only', async () => {
    await open()
    expect(statSync(place().path).mode & 0o777).toBe(0o600)
  })

  test('answers calls by their id, in any order', async () => {
    await open({ answer: async (name, args) => ({ ok: true, value: { name, args } }) })
    const client = await connect()
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
  ])('reports to %s which side is older', async (_who, protocol, sentence) => {
    await open()
    const socket = await rawConnection()
    socket.write(frameOf({ kind: 'hello', protocol, version: '9.9.9', fields: 'of a later version' }))
    expect(await everythingFrom(socket)).toMatch(sentence)
    expect(called).toEqual([])
  })

  test.each([
    ['a web page', 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}'],
    ['a frame larger than a hello', Buffer.concat([Buffer.from([0, 1, 0, 0]), Buffer.alloc(100)])],
    ['a call before the hello', frameOf({ kind: 'call', id: 1, name: 'pause', args: { until: null } })],
    ['bytes that are not JSON', Buffer.from([0, 0, 0, 3, 1, 2, 3])],
  ])('disconnects %s, and runs nothing', async (_who, bytes) => {
    await open()
    const socket = await rawConnection()
    socket.write(bytes)
    expect(await everythingFrom(socket)).toBe('')
    expect(called).toEqual([])
  })

  test.each([
    ['a call that no client may make', { kind: 'call', id: 1, name: 'createWebhookEndpoint', args: {} }],
    ['an unknown call', { kind: 'call', id: 1, name: 'constructor', args: {} }],
    ['a message of the main process', { kind: 'configure', settings: null, apiKey: 'svc_test_abc' }],
    ['a request to stop', { kind: 'shutdown' }],
  ])('disconnects a client after %s', async (_what, message) => {
    await open()
    const socket = await rawConnection()
    socket.write(frameOf(hello))
    await once(socket, 'data')
    socket.write(frameOf(message))
    await until('the endpoint closes the connection', isClosed(socket))
    expect(called).toEqual([])
  })

  test('disconnects a client that announces a frame above the limit, before it arrives', async () => {
    await open()
    const socket = await rawConnection()
    socket.write(frameOf(hello))
    await once(socket, 'data')
    const length = Buffer.alloc(4)
    length.writeUInt32BE(MAX_REQUEST_BYTES + 1)
    socket.write(length)
    await until('the endpoint closes the connection', isClosed(socket))
  })

  test('connections that never send hello do not block other clients', async () => {
    await open({ limits: { halfOpen: 2, helloTimeoutMs: 3_600_000 } })
    const silent = [await rawConnection(), await rawConnection(), await rawConnection()]
    const client = await connect()
    expect((await client.call('pause', { until: null })).ok).toBe(true)
    await until('the oldest is disconnected', isClosed(silent[0]!))
    client.close()
  })

  test('a connection that never sends hello is closed after a while', async () => {
    await open({ limits: { helloTimeoutMs: 50 } })
    await until('the connection is closed', isClosed(await rawConnection()))
  })

  test('refuses clients above the limit, and accepts new ones when others have left', async () => {
    await open({ limits: { clients: 1 } })
    const first = await connect()
    expect(await connectToAgent(folder, { version: '1', clientIs: 'this program' })).toBeNull()
    first.close()
    await until('a connection is free', () => endpoint.clients === 0)
    ;(await connect()).close()
  })

  test('a client that never reads is disconnected, and others are served', async () => {
    const logged: string[] = []
    await open({ limits: { unreadTimeoutMs: 5_000 }, log: (sentence) => logged.push(sentence) })
    const reader = await connect()
    const idleClient = await rawConnection()
    idleClient.pause()
    idleClient.write(frameOf(hello))
    await until('the client is accepted', () => endpoint.clients === 2)
    const status = { at: 'x'.repeat(4 * 1024 * 1024) } as unknown as Status
    const seen: Status[] = []
    reader.on('status', (each) => seen.push(each))
    endpoint.pushStatus(status)
    await until('the idle client is disconnected', () => endpoint.clients === 1)
    await until('the other client gets the status', () => seen.length > 0)
    expect(logged).toEqual(['a window or command did not read its messages and was disconnected'])
    reader.close()
  })

  test('refuses too many concurrent calls of one client with a sentence', async () => {
    const waiting: (() => void)[] = []
    await open({
      limits: { callsAtOnce: 1 },
      answer: () => new Promise((resolve) => waiting.push(() => resolve({ ok: true, value: 1 }))),
    })
    const client = await connect()
    const first = client.call('resume', undefined)
    expect(await client.call('resume', undefined)).toMatchObject({ ok: false, error: { kind: 'refused' } })
    for (const answer of waiting) answer()
    expect(await first).toEqual({ ok: true, value: 1 })
    client.close()
  })

  test('creates receipts and reports one at a time for all clients, and refuses too many', async () => {
    let running = 0
    let most = 0
    const waiting: (() => void)[] = []
    await open({
      limits: { callsAtOnce: 2 },
      answer: async () => {
        running += 1
        most = Math.max(most, running)
        await new Promise<void>((resolve) => waiting.push(resolve))
        running -= 1
        return { ok: true, value: 1 }
      },
    })
    const [one, two] = [await connect(), await connect()]
    const args = { app: {}, agentHealth: {} }
    const first = one.call('makeSupportReport', args)
    await until('the first report is being made', () => waiting.length === 1)
    const second = one.call('makeSupportReport', args)
    // Answered after the second call of the same client has arrived.
    const small = one.call('resume', undefined)
    expect(await small).toMatchObject({ ok: false, error: { kind: 'refused' } })
    expect(await two.call('makeSupportReport', args)).toMatchObject({ ok: false, error: { kind: 'refused' } })
    expect(most).toBe(1)
    waiting[0]?.()
    expect(await first).toEqual({ ok: true, value: 1 })
    await until('the second one is being made', () => waiting.length === 2)
    waiting[1]?.()
    expect(await second).toEqual({ ok: true, value: 1 })
    expect(most).toBe(1)
    for (const client of [one, two]) client.close()
  })

  test('disconnects the clients with the most unread messages above a shared limit', async () => {
    const status = { at: 'x'.repeat(4 * 1024 * 1024) } as unknown as Status
    await open({ limits: { unreadBytes: 10 * 1024 * 1024 } })
    for (let n = 1; n <= 4; n += 1) {
      const idleClient = await rawConnection()
      idleClient.pause()
      idleClient.write(frameOf(hello))
      await until('the client is accepted', () => endpoint.clients === n)
    }
    endpoint.pushStatus(status)
    expect(endpoint.clients).toBe(2)
    const reader = await connect()
    expect(await reader.call('resume', undefined)).toEqual({ ok: true, value: null })
    reader.close()
  })

  test('many requests to reconnect cause one at once, and one for all the others', async () => {
    await open({ limits: { reconnectIntervalMs: 100 } })
    const socket = await rawConnection()
    const other = await rawConnection()
    for (const each of [socket, other]) each.write(frameOf(hello))
    await until('both are clients', () => endpoint.clients === 2)
    for (let n = 0; n < 50; n += 1) socket.write(frameOf({ kind: 'reconnect', reason: `loop ${n}` }))
    await until('the first reconnects', () => called.length > 0)
    other.write(frameOf({ kind: 'reconnect', reason: 'network' }))
    await until('the last request is served', () => called.at(-1) === 'network')
    expect(called[0]).toBe('loop 0')
    expect(called.length).toBeLessThan(5)
  })

  test('a socket that a killed agent left behind is replaced', async () => {
    const dead = createServer()
    await new Promise<void>((resolve) => {
      dead.listen(place().path, resolve)
    })
    // The server cannot remove the renamed socket when it closes, so the file stays, as after kill -9.
    const { rename } = await import('node:fs/promises')
    await rename(place().path, `${place().path}.kept`)
    await new Promise((resolve) => dead.close(resolve))
    await rename(`${place().path}.kept`, place().path)
    expect(await connectToAgent(folder, { version: '1', clientIs: 'this program' })).toBeNull()
    await open()
    ;(await connect()).close()
  })

  test('does not remove a regular file in place of its socket', async () => {
    writeFileSync(place().path, 'a file of a different program')
    await expect(open()).rejects.toThrow('is in the way and does not belong to this agent')
    rmSync(place().path)
    await open()
  })

  test('a client reports that a different program answers for the station', async () => {
    await open()
    await endpoint.close()
    const other = createServer((socket) =>
      socket.resume().end('HTTP/1.1 200 OK\r\n\r\nhello there, I am a server'),
    )
    await new Promise<void>((resolve) => {
      other.listen(place().path, resolve)
    })
    await expect(connect()).rejects.toThrow('not a Sluice agent')
    await new Promise((resolve) => other.close(resolve))
    await open()
  })
})
