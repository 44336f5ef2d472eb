import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { launch } from './sandbox-process.ts'
import { expectError, expectStorageError, newSession, patterned, Service, sha256 } from './service.ts'

const bytes = patterned(2_500)
const part1 = bytes.subarray(0, 1_000)
let service: Service

beforeAll(async () => {
  const sandbox = await launch('--min-part-size', '1000', '--processing-delay', '0', '--control')
  service = new Service(sandbox)
  return () => sandbox.stop()
})
afterEach(() => service.operate('DELETE', '/faults'))

const inject = (fault: unknown) => service.operate('POST', '/faults', fault)
const list = () => service.call('GET', '/v1/sessions?limit=1')

test('`after` and `count` select the requests that get a fault', async () => {
  await inject({
    route: 'list',
    after: 1,
    count: 2,
    effect: { kind: 'status', status: 503, retry_after_s: 3 },
  })
  const answers = [await list(), await list(), await list(), await list()]
  expect(answers.map(({ status }) => status)).toEqual([200, 503, 503, 200])
  expect(answers[1]!.headers['retry-after']).toBe('3')
  expectError(answers[1]!, 503, 'api_error')
})

test('a fault for one route does not affect the other routes; `any` covers all routes', async () => {
  await inject({ route: 'delete', effect: { kind: 'status', status: 500 } })
  expect((await list()).status).toBe(200)
  await inject({ route: 'any', count: 2, effect: { kind: 'status', status: 502 } })
  expect((await list()).status).toBe(502)
  expect((await service.call('GET', '/v1/sessions/ses_x')).status).toBe(502)
})

test.each([
  ['webhook', { kind: 'status', status: 503 }],
  ['webhook', { kind: 'latency', ms: 300 }],
  ['list', { kind: 'duplicate_event' }],
])('on the route %s, the control endpoint refuses the effect %o', async (route, effect) => {
  await expect(inject({ route, effect })).rejects.toThrow(
    /takes only the effects duplicate_event and reorder_events/,
  )
})

test('`match.part` selects one part only', async () => {
  const { upload } = await service.create(bytes)
  await inject({ route: 'put_part', match: { part: 2 }, effect: { kind: 'status', status: 503 } })
  expect((await service.put(upload.parts[0]!.url, part1)).status).toBe(200)
  const refusal = await service.put(upload.parts[1]!.url, bytes.subarray(1_000, 2_000))
  expectStorageError(refusal, 503, 'SlowDown')
})

test('`latency` delays the answer by at least the given time', async () => {
  await inject({ route: 'list', effect: { kind: 'latency', ms: 300 } })
  const startedAt = performance.now()
  expect((await list()).status).toBe(200)
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(299)
})

test.each(['before_body', 'after_body'])(
  '`drop` with %s breaks the connection, and the sandbox changes nothing',
  async (when) => {
    const site = `drop-${when}`
    await inject({ route: 'create', effect: { kind: 'drop', when } })
    const body = { ...newSession(bytes), site }
    await expect(service.call('POST', '/v1/sessions', { body })).rejects.toThrow()
    expect((await service.call('GET', `/v1/sessions?site=${site}`)).json().data).toEqual([])
    const created = await service.create(bytes)
    await inject({ route: 'put_part', effect: { kind: 'drop', when } })
    await expect(service.put(created.upload.parts[0]!.url, part1)).rejects.toThrow()
    expect((await service.retrieve(created.id)).upload!.parts).toHaveLength(3)
  },
)

test('`lose_answer` processes the request and then breaks the connection', async () => {
  const created = await service.create(bytes)
  await inject({ route: 'put_part', effect: { kind: 'lose_answer' } })
  await expect(service.put(created.upload.parts[0]!.url, part1)).rejects.toThrow()
  expect((await service.retrieve(created.id)).upload!.parts.map(({ number }) => number)).toEqual([2, 3])
  const stats = (await service.operate('GET', '/stats')) as { parts: Record<string, Record<string, number>> }
  expect(stats.parts[created.id]).toEqual({ 1: 1 })
})

test('a part upload that hangs in `stall` or `half_open` blocks no other request and stores no part', async () => {
  for (const effect of [{ kind: 'stall', after_bytes: 10 }, { kind: 'half_open' }]) {
    const created = await service.create(bytes)
    await inject({ route: 'put_part', effect })
    const headers = { 'content-length': 1_000, 'x-amz-checksum-sha256': sha256(part1, 'base64') }
    const put = request(created.upload.parts[0]!.url, { method: 'PUT', headers })
    let hasAnswer = false
    put.on('response', () => {
      hasAnswer = true
    })
    const whenClosed = new Promise((resolve) => put.on('error', resolve))
    put.end(part1)
    expect((await service.retrieve(created.id)).upload!.parts).toHaveLength(3)
    expect(hasAnswer).toBe(false)
    put.destroy(new Error('given up'))
    await whenClosed
  }
})

test('a half-open connection stays open longer than the timeout for idle clients', async () => {
  const sandbox = await launch('--min-part-size', '1000', '--client-timeout', '1', '--control')
  onTestFinished(async () => void (await sandbox.stop()))
  const shortTimeout = new Service(sandbox)
  const { upload } = await shortTimeout.create(bytes)
  const headers = { 'content-length': 1_000, 'x-amz-checksum-sha256': sha256(part1, 'base64') }
  const startPut = (part: number) => {
    const put = request(upload.parts[part]!.url, { method: 'PUT', headers })
    const whenClosed = new Promise<void>((resolve) => put.on('error', () => resolve()))
    put.write(part1.subarray(0, 10))
    return { put, whenClosed }
  }
  await shortTimeout.operate('POST', '/faults', { route: 'put_part', effect: { kind: 'half_open' } })
  const halfOpen = startPut(0)
  let isClosed = false
  void halfOpen.whenClosed.then(() => {
    isClosed = true
  })
  await vi.waitUntil(async () =>
    JSON.stringify((await shortTimeout.operate('GET', '/stats')).routes).includes('"put_part":1'),
  )
  // The second connection starts later. Once the sandbox has closed it, the timeout is over for the first one too.
  await startPut(1).whenClosed
  expect(isClosed).toBe(false)
  halfOpen.put.destroy()
})

test('`stall` on a JSON route sends only the first bytes of the answer', async () => {
  await inject({ route: 'list', effect: { kind: 'stall', after_bytes: 5 } })
  const listing = request(`${service.sandbox.baseUrl}/v1/sessions`, {
    headers: { authorization: `Bearer ${service.sandbox.keys.write}` },
  })
  const firstBytes = await new Promise<string>((resolve) => {
    listing.on('response', (response) => response.once('data', (chunk: Buffer) => resolve(chunk.toString())))
    listing.end()
  })
  expect(firstBytes).toBe('{"obj')
  listing.destroy()
})

test('`expired_url` refuses a part, and puts expired URLs into answers', async () => {
  const created = await service.create(bytes)
  await inject({ route: 'put_part', effect: { kind: 'expired_url' } })
  expectStorageError(await service.put(created.upload.parts[0]!.url, part1), 403, 'AccessDenied')
  expect((await service.put(created.upload.parts[0]!.url, part1)).status).toBe(200)
  await inject({ route: 'retrieve', effect: { kind: 'expired_url' } })
  const { upload } = await service.retrieve(created.id)
  expect(Date.parse(upload!.expires_at)).toBeLessThan(Date.now())
  expectStorageError(
    await service.put(upload!.parts[0]!.url, bytes.subarray(1_000, 2_000)),
    403,
    'AccessDenied',
  )
})

test('`corrupt_etag` answers with an ETag that completion then refuses', async () => {
  const created = await service.create(bytes)
  await inject({ route: 'put_part', effect: { kind: 'corrupt_etag' } })
  const etags = await service.putParts(created.upload.parts, bytes, 1_000)
  const answer = await service.complete(created.id, etags)
  expectError(answer, 409, 'conflict', 'checksum_mismatch', 'parts[0].etag')
})

test('a fault turns an answer into HTML, truncated JSON, or JSON with wrong values', async () => {
  await inject({ route: 'list', effect: { kind: 'html' } })
  const html = await list()
  expect(html.headers['content-type']).toBe('text/html')
  expect(() => html.json()).toThrow()
  await inject({ route: 'list', effect: { kind: 'truncated_json' } })
  const truncated = await list()
  expect(truncated.status).toBe(200)
  expect(() => truncated.json()).toThrow()
  await inject({ route: 'create', effect: { kind: 'bad_ids' } })
  expect((await service.create(bytes)).id).not.toMatch(/^ses_/)
  await inject({ route: 'create', effect: { kind: 'negative_part_size' } })
  expect((await service.create(bytes)).upload.part_size).toBe(-1)
  await inject({ route: 'put_part', effect: { kind: 'html' } })
  const put = await service.put((await service.create(bytes)).upload.parts[0]!.url, part1)
  expect(put.headers).not.toHaveProperty('etag')
})

test('a test can move the sandbox’s clock, and answers carry the time of the moved clock', async () => {
  await service.operate('POST', '/clock', { offset_s: 86_400 })
  onTestFinished(async () => void (await service.operate('POST', '/clock', { offset_s: 0 })))
  const { headers } = await list()
  expect(Date.parse(headers.date!) - Date.now()).toBeGreaterThan(86_000_000)
  const { id } = await service.create(bytes)
  expect(Date.parse((await service.retrieve(id)).created_at) - Date.now()).toBeGreaterThan(86_000_000)
})

test('a scenario file sets the faults and the clock of the sandbox', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sandbox-scenario-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'scenario.json')
  const fault = { route: 'list', count: 2, effect: { kind: 'status', status: 429, retry_after_s: 1 } }
  await writeFile(file, JSON.stringify({ clock_offset_s: -3_600, faults: [fault] }))
  const sandbox = await launch('--scenario', file)
  onTestFinished(async () => void (await sandbox.stop()))
  const limited = new Service(sandbox)
  const statuses = []
  for (let n = 0; n < 3; n += 1) statuses.push((await limited.call('GET', '/v1/sessions')).status)
  expect(statuses).toEqual([429, 429, 200])
  const { headers } = await limited.call('GET', '/v1/sessions')
  expect(Date.now() - Date.parse(headers.date!)).toBeGreaterThan(3_500_000)
})

test('without --control there is no control endpoint, and the API has no route for faults', async () => {
  const sandbox = await launch()
  onTestFinished(async () => void (await sandbox.stop()))
  expect(JSON.parse(sandbox.firstLine)).not.toHaveProperty('control_url')
  expect((await new Service(sandbox).call('POST', '/faults', { body: {} })).status).toBe(404)
})
