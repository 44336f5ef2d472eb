import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { launch } from './sandbox-process.ts'
import { newSession, patterned, Service } from './service.ts'

/** Fixed, so that a failure can be had again; change it to look elsewhere. */
const seed = 20_260_101
let service: Service

beforeAll(async () => {
  const sandbox = await launch('--min-part-size', '1000', '--rate-limit', '1000000')
  service = new Service(sandbox)
  return () => sandbox.stop()
})

const paths = [
  ['POST', '/v1/sessions'],
  ['POST', '/v1/sessions/ses_none/complete'],
  ['POST', '/v1/webhook_endpoints'],
] as const

const valid = newSession(patterned(10))
const nearlyValid = fc
  .tuple(fc.constantFrom(...Object.keys(valid), 'device', 'notes', 'parts', 'url', 'events'), fc.jsonValue())
  .map(([name, value]) => ({ ...valid, [name]: value }))

/** Whatever is sent: never a 5xx, and every refusal a whole error object. */
async function isProper(method: string, path: string, raw: string | Buffer): Promise<void> {
  const answer = await service.call(method, path, { raw })
  expect(answer.headers['request-id']).toMatch(/^req_/)
  if (answer.status === 200) return
  expect([400, 404]).toContain(answer.status)
  const { error } = answer.json() as { error: Record<string, string> }
  for (const name of ['type', 'code', 'message', 'param', 'request_id'])
    expect(error[name]).toBeTypeOf('string')
}

test.each(paths)('%s %s: any JSON', async (method, path) => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), (json) => isProper(method, path, JSON.stringify(json))),
    { seed, numRuns: 150 },
  )
})

test.each(paths)('%s %s: a valid body with one field replaced', async (method, path) => {
  await fc.assert(
    fc.asyncProperty(nearlyValid, (json) => isProper(method, path, JSON.stringify(json))),
    { seed, numRuns: 150 },
  )
})

test.each(paths)('%s %s: any bytes', async (method, path) => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 500 }), (bytes) =>
      isProper(method, path, Buffer.from(bytes)),
    ),
    { seed, numRuns: 100 },
  )
})

test('GET /v1/sessions: any query', async () => {
  const name = fc.constantFrom('limit', 'cursor', 'site', 'status', 'created[gte]', 'created[lt]', 'x')
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(name, fc.string({ unit: 'binary' })), { maxLength: 4 }),
      async (pairs) => {
        const wellFormed = pairs.map(([key, value]) => [key, value.toWellFormed()])
        const answer = await service.call('GET', `/v1/sessions?${new URLSearchParams(wellFormed)}`)
        expect([200, 400]).toContain(answer.status)
      },
    ),
    { seed, numRuns: 200 },
  )
})

test('it still works after all that', async () => {
  expect((await service.processed(await service.upload(patterned(2_500)))).status).toBe('processed')
})
