import { once } from 'node:events'
import { createConnection } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { frameOf } from '../../../../main/endpoint/frames.ts'
import { ENDPOINT_PROTOCOL, MAX_REQUEST_BYTES } from '../../../../shared/ipc/endpoint-protocol.ts'
import type { Status } from '../../../../shared/status/status.ts'
import { needs, posix } from '../../../support/needs.ts'
import { until } from '../../../support/station.ts'
import { hello, isClosed, TestEndpoint } from '../../../support/test-endpoint.ts'

let bench: TestEndpoint
beforeEach(() => {
  bench = new TestEndpoint()
})
afterEach(() => bench.close())

describe('the endpoint of an agent', needs(posix), () => {
  test('disconnects a client that announces a frame above the limit, before the frame arrives', async () => {
    await bench.open()
    const socket = await bench.openRawConnection()
    socket.write(frameOf(hello))
    await once(socket, 'data')
    const length = Buffer.alloc(4)
    length.writeUInt32BE(MAX_REQUEST_BYTES + 1)
    socket.write(length)
    await until('the endpoint closes the connection', isClosed(socket))
  })

  test('reads nothing more from a client that it has refused, and disconnects it', async () => {
    await bench.open({ limits: { helloTimeoutMs: 3_600_000 } })
    const socket = createConnection({ path: bench.place.path, allowHalfOpen: true })
    bench.sockets.push(socket)
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

  test('if too many connections wait for a hello, closes those of the user who has the most', async () => {
    const users = [1, 2, 1, 1, 1]
    await bench.open({
      limits: { halfOpen: 2, helloTimeoutMs: 3_600_000 },
      userOf: () => users.shift() ?? null,
    })
    const [first, other] = [await bench.openRawConnection(), await bench.openRawConnection()]
    const more = [
      await bench.openRawConnection(),
      await bench.openRawConnection(),
      await bench.openRawConnection(),
    ]
    for (const socket of [first, ...more.slice(0, 2)])
      await until('the connections of the first user are closed', isClosed(socket))
    other.write(frameOf(hello))
    await until('the other user is a client', () => bench.clients === 1)
  })

  test('accepts a different user even if one user has as many clients as allowed', async () => {
    const users = [1, 1, 1, 2]
    await bench.open({ limits: { clientsOfOneUser: 2 }, userOf: () => users.shift() ?? null })
    const clients = [await bench.connectClient(), await bench.connectClient()]
    await expect(bench.connectClient()).rejects.toThrow('The agent is busy')
    for (const client of [...clients, await bench.connectClient()]) client.close()
  })

  test('disconnects a client that sends nothing for a long time, but not during a call', async () => {
    let finishCall = () => {}
    await bench.open({
      limits: { idleTimeoutMs: 50 },
      answer: () =>
        new Promise((resolve) => {
          finishCall = () => resolve({ ok: true, value: 1 })
        }),
    })
    const busyClient = await bench.openRawConnection()
    let received = ''
    busyClient.on('data', (bytes: Buffer) => {
      received += bytes.toString('utf8')
    })
    // One write, so that the call arrives with the hello, and not after the idle timeout.
    const call = { kind: 'call', id: 1, name: 'resume', args: null }
    busyClient.write(Buffer.concat([frameOf(hello), frameOf(call)]))
    await until('the busy client is a client', () => bench.clients === 1)
    const idleClient = await bench.connectClient()
    await until('the idle client is disconnected', () => idleClient.isClosed)
    expect(isClosed(busyClient)()).toBe(false)
    expect(received).not.toContain('"answer"')
    finishCall()
    await until('the busy client has its answer', () => received.includes('"value":1'))
    await until('the busy client is disconnected too', isClosed(busyClient))
  })

  test('refuses an answer that is larger than a client accepts, and the client stays attached', async () => {
    const values: unknown[] = ['x'.repeat(2_000), { toJSON: () => 'x'.repeat(2 ** 30) }, 1]
    await bench.open({
      limits: { answerBytes: 1_000 },
      answer: async () => ({ ok: true, value: values.shift() }),
    })
    const client = await bench.connectClient()
    for (const _ of ['above the limit', 'longer than any string'])
      expect(await client.call('makeReceipt', {})).toMatchObject({
        ok: false,
        error: { kind: 'refused', message: expect.stringContaining('too large') },
      })
    expect(await client.call('resume', undefined)).toEqual({ ok: true, value: 1 })
    client.close()
  })

  test('serves a client even if many connections never send `hello`', async () => {
    await bench.open({ limits: { halfOpen: 2, helloTimeoutMs: 3_600_000 } })
    const silent = [
      await bench.openRawConnection(),
      await bench.openRawConnection(),
      await bench.openRawConnection(),
    ]
    const client = await bench.connectClient()
    expect((await client.call('pause', { until: null })).ok).toBe(true)
    await until('the oldest connection is closed', isClosed(silent[0]!))
    client.close()
  })

  test('closes a connection from which no hello arrives for a while', async () => {
    await bench.open({ limits: { helloTimeoutMs: 50 } })
    await until('the connection is closed', isClosed(await bench.openRawConnection()))
  })

  test('refuses clients above the limit until another client leaves', async () => {
    await bench.open({ limits: { clients: 1 } })
    const first = await bench.connectClient()
    await expect(bench.connectClient()).rejects.toThrow('The agent is busy')
    first.close()
    await until('a connection is free', () => bench.clients === 0)
    ;(await bench.connectClient()).close()
  })

  test('disconnects a client that never reads, and serves the others', async () => {
    const logLines: string[] = []
    await bench.open({ limits: { unreadTimeoutMs: 5_000 }, log: (sentence) => logLines.push(sentence) })
    const reader = await bench.connectClient()
    const idleClient = await bench.openRawConnection()
    idleClient.pause()
    idleClient.write(frameOf(hello))
    await until('the client is accepted', () => bench.clients === 2)
    const status = { at: 'x'.repeat(4 * 1024 * 1024) } as unknown as Status
    const statuses: Status[] = []
    reader.on('status', (each) => statuses.push(each))
    bench.endpoint.pushStatus(status)
    await until('the idle client is disconnected', () => bench.clients === 1)
    await until('the other client gets the status', () => statuses.length > 0)
    expect(logLines).toEqual(['a window or command did not read its messages and was disconnected'])
    reader.close()
  })

  test('refuses a call of a client that already has too many calls in progress', async () => {
    const pendingAnswers: (() => void)[] = []
    await bench.open({
      limits: { callsAtOnce: 1 },
      answer: () => new Promise((resolve) => pendingAnswers.push(() => resolve({ ok: true, value: 1 }))),
    })
    const client = await bench.connectClient()
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
    await bench.open({
      limits: { callsAtOnce: 2 },
      answer: async () => {
        running += 1
        maxRunning = Math.max(maxRunning, running)
        await new Promise<void>((resolve) => pendingAnswers.push(resolve))
        running -= 1
        return { ok: true, value: 1 }
      },
    })
    const [one, two] = [await bench.connectClient(), await bench.connectClient()]
    const args = { app: {}, agentHealth: {} }
    const first = one.call('makeSupportReport', args)
    await until('the first report is being made', () => pendingAnswers.length === 1)
    const second = one.call('makeSupportReport', args)
    // The refusal of this call shows that the endpoint has read the second call of the same client.
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

  test('disconnects the clients with the most unread bytes if all clients together exceed a limit', async () => {
    const status = { at: 'x'.repeat(4 * 1024 * 1024) } as unknown as Status
    await bench.open({ limits: { unreadBytes: 10 * 1024 * 1024 } })
    for (let n = 1; n <= 4; n += 1) {
      const idleClient = await bench.openRawConnection()
      idleClient.pause()
      idleClient.write(frameOf(hello))
      await until('the client is accepted', () => bench.clients === n)
    }
    bench.endpoint.pushStatus(status)
    expect(bench.clients).toBe(2)
    const reader = await bench.connectClient()
    expect(await reader.call('resume', undefined)).toEqual({ ok: true, value: null })
    reader.close()
  })

  test('reconnects at once for the first of many requests, and then once for several requests together', async () => {
    await bench.open({ limits: { reconnectIntervalMs: 100 } })
    const socket = await bench.openRawConnection()
    const other = await bench.openRawConnection()
    for (const each of [socket, other]) each.write(frameOf(hello))
    await until('both are clients', () => bench.clients === 2)
    for (let n = 0; n < 50; n += 1) socket.write(frameOf({ kind: 'reconnect', reason: `loop ${n}` }))
    await until('the first request causes a reconnection', () => bench.calledNames.length > 0)
    other.write(frameOf({ kind: 'reconnect', reason: 'network' }))
    await until('the last request is served', () => bench.calledNames.at(-1) === 'network')
    expect(bench.calledNames[0]).toBe('loop 0')
    expect(bench.calledNames.length).toBeLessThan(5)
  })
})
