import { expect, test } from 'vitest'
import type { ServiceClientOptions } from '../../main/agent/service/client.ts'
import { answer, clientFor, httpServer, partFor } from './service-support.ts'

/** A storage that takes everything, and how often it was asked to. */
const storage = async () => {
  let puts = 0
  const base = await httpServer((request, response) => {
    puts += 1
    request.resume().on('end', () => answer(response, 200, {}, { etag: '"1"' }))
  })
  return { base, puts: () => puts }
}

test.each<[string, string, Partial<ServiceClientOptions>]>([
  ['http to this PC, with the service elsewhere', 'https://api.example.com', {}],
  ['a host that the settings do not name', 'http://127.0.0.1:9', { uploadHosts: ['storage.example.com'] }],
])('a part is never sent to %s; the failure names the host only', async (_name, service, options) => {
  const { base, puts } = await storage()
  const seen: string[] = []
  const client = clientFor(service, { ...options, onUploadHost: (host) => seen.push(host) })
  const outcome = await client.sendPart(partFor(base))
  expect(outcome).toMatchObject({
    ok: false,
    failure: { kind: 'foreign-answer', origin: 'storage', detail: expect.stringContaining('127.0.0.1') },
  })
  expect(JSON.stringify(outcome)).not.toMatch(/bucket|Signature|127\.0\.0\.1:/)
  expect([puts(), seen]).toEqual([0, []])
})

test('a host is told once, when the first part goes there', async () => {
  const { base, puts } = await storage()
  const seen: string[] = []
  const client = clientFor(base, { uploadHosts: ['127.0.0.1'], onUploadHost: (host) => seen.push(host) })
  for (let n = 0; n < 2; n += 1) expect(await client.sendPart(partFor(base))).toMatchObject({ ok: true })
  expect([puts(), seen]).toEqual([2, ['127.0.0.1']])
})
