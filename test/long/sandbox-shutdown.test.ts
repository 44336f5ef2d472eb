import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { mcapFile } from '../contract/sample-files.ts'
import { launch } from '../contract/sandbox-process.ts'
import { patterned, Service } from '../contract/service.ts'
import { startWebhookReceiver } from '../contract/webhook-receiver.ts'

/*
 * `stop` throws if the process does not end in time, so each test also checks a time limit.
 */

const flags = ['--min-part-size', '1000', '--processing-delay', '0', '--control']
const bytes = patterned(1_000)

/** Waits until the sandbox has begun to handle a request on this route. */
async function waitForRequest(service: Service, route: string): Promise<void> {
  for (;;) {
    const { routes } = (await service.operate('GET', '/stats')) as { routes: Record<string, number> }
    if ((routes[route] ?? 0) > 0) return
    await delay(5)
  }
}

const blockingEffects = [
  { kind: 'latency', ms: 86_400_000 },
  { kind: 'stall', after_bytes: 1 },
  { kind: 'half_open' },
]

test.each(blockingEffects)(
  'SIGTERM ends the sandbox although the fault $kind blocks a part',
  async (effect) => {
    const sandbox = await launch(...flags)
    const service = new Service(sandbox)
    const { upload } = await service.create(bytes)
    await service.operate('POST', '/faults', { route: 'put_part', effect })
    const blockedPart = service.put(upload.parts[0]!.url, bytes).catch(() => 'cut')
    await waitForRequest(service, 'put_part')
    expect(await sandbox.stop()).toBe(0)
    expect(await blockedPart).toBe('cut')
  },
)

test.each(blockingEffects)(
  'SIGTERM ends the sandbox although the fault $kind blocks JSON requests',
  async (effect) => {
    const sandbox = await launch(...flags)
    const service = new Service(sandbox)
    await service.operate('POST', '/faults', { route: 'any', count: 2, effect })
    const body = { site: 's' }
    const blockedRequests = [
      service.call('GET', '/v1/sessions').catch(() => 'cut'),
      service.call('POST', '/v1/sessions', { body }).catch(() => 'cut'),
    ]
    await waitForRequest(service, 'list')
    await waitForRequest(service, 'create')
    expect(await sandbox.stop()).toBe(0)
    expect(await Promise.all(blockedRequests)).toEqual(['cut', 'cut'])
  },
)

test('SIGTERM ends the sandbox although clients keep idle connections and half-sent requests open', async () => {
  const sandbox = await launch(...flags)
  const service = new Service(sandbox)
  const { upload } = await service.create(bytes)
  const part = new URL(upload.parts[0]!.url)
  const { host } = new URL(sandbox.baseUrl)
  const starts = [
    [sandbox.baseUrl, ''],
    [sandbox.baseUrl, 'GET /v1/sessions HT'],
    [sandbox.baseUrl, `POST /v1/sessions HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 100\r\n\r\n{`],
    [sandbox.baseUrl, 'NONSENSE\r\n\r\n'],
    [sandbox.baseUrl, `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`],
    [sandbox.baseUrl, 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n'],
    [
      sandbox.uploadUrl,
      `PUT ${part.pathname} HTTP/1.1\r\nHost: ${part.host}\r\nContent-Length: 1000\r\n\r\nabc`,
    ],
    [
      sandbox.controlUrl,
      `POST /faults HTTP/1.1\r\nHost: ${new URL(sandbox.controlUrl).host}\r\nSluice-Sandbox-Control: 1\r\n` +
        'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
    ],
  ] as const
  for (const [url, text] of starts) {
    const { port, hostname } = new URL(url)
    // The client does not close its side and reads nothing, so only the sandbox can close the connection.
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true })
    onTestFinished(() => void socket.destroy())
    socket.on('error', () => {})
    socket.pause()
    await once(socket, 'connect')
    socket.write(text)
  }
  expect((await service.call('GET', '/v1/sessions')).status).toBe(200)
  expect(await sandbox.stop()).toBe(0)
})

test('SIGTERM ends the sandbox although a receiver does not answer a webhook', async () => {
  const sandbox = await launch(...flags)
  const service = new Service(sandbox)
  const hook = await startWebhookReceiver(() => 'never')
  onTestFinished(() => hook.close())
  const endpoint = { url: hook.url, events: ['session.processed'] }
  await service.call('POST', '/v1/webhook_endpoints', { body: endpoint })
  await service.upload(bytes)
  await hook.waitForDeliveries(1)
  expect(await sandbox.stop()).toBe(0)
})

test('after SIGTERM during checksums and inspections, the next start finishes both', async () => {
  const data = await mkdtemp(join(tmpdir(), 'sandbox-shutdown-'))
  onTestFinished(() => rm(data, { recursive: true, force: true, maxRetries: 5 }))
  const slow = ['--min-part-size', '1000', '--processing-delay', '60000', '--control', '--data', data]
  const first = await launch(...slow)
  const before = new Service(first)
  // The file has no summary, so the sandbox must read all of it.
  const recording = await mcapFile({ layout: 'bare', seconds: 100_000 })
  const partSizeBytes = 1_000_000
  const names = ['a.mcap', 'b.mcap', 'c.mcap', 'd.mcap']
  const ids = []
  for (const filename of names) ids.push(await before.upload(recording, { filename, partSizeBytes }))
  const waiting = await before.create(recording, { filename: 'e.mcap', partSizeBytes })
  const etags = await before.putParts(waiting.upload.parts, recording, partSizeBytes)
  const completing = before.complete(waiting.id, etags).catch(() => 'cut')
  await waitForRequest(before, 'complete')
  // Makes all recordings due. The sandbox is still reading the first one when SIGTERM arrives.
  await before.operate('POST', '/clock', { offset_s: 61 })
  expect(await first.stop()).toBe(0)
  await completing

  const second = await launch(...slow)
  onTestFinished(async () => void (await second.stop()))
  const after = new Service(second)
  if ((await after.retrieve(waiting.id)).status === 'uploading') await after.complete(waiting.id, etags)
  await after.operate('POST', '/clock', { offset_s: 200 })
  for (const id of [...ids, waiting.id]) {
    expect(await after.waitUntilProcessed(id)).toMatchObject({ status: 'processed', duration_s: 100_000 })
  }
})
