import net, { type LookupFunction } from 'node:net'
import { expect, test } from 'vitest'
import { wordsOf } from '../../main/agent/domain/failure.ts'
import { problemOf } from '../../main/agent/domain/problems.ts'
import { decide } from '../../main/agent/domain/retry-policy.ts'
import type { ServiceClientOptions } from '../../main/agent/service/client.ts'
import { answer, clientFor, failureOf, httpServer, listen, partFor } from './service-support.ts'

/** A storage that accepts everything and counts its requests. */
const startStorage = async () => {
  let puts = 0
  const base = await httpServer((request, response) => {
    puts += 1
    request.resume().on('end', () => answer(response, 200, {}, { etag: '"1"' }))
  })
  return { base, countPuts: () => puts }
}

test.each<[string, string, Partial<ServiceClientOptions>]>([
  ['this PC over http while the service is elsewhere', 'https://api.example.com', {}],
  ['a host that the settings do not name', 'http://127.0.0.1:9', { uploadHosts: ['storage.example.com'] }],
])('a part is never sent to %s; the failure names only the host', async (_name, service, options) => {
  const { base, countPuts } = await startStorage()
  const reportedHosts: string[] = []
  const client = clientFor(service, { ...options, onUploadHost: (host) => reportedHosts.push(host) })
  const outcome = await client.sendPart(partFor(base))
  expect(outcome).toMatchObject({
    ok: false,
    failure: { kind: 'host-refused', origin: 'storage', detail: expect.stringContaining('127.0.0.1') },
  })
  expect(JSON.stringify(outcome)).not.toMatch(/bucket|Signature|127\.0\.0\.1:/)
  expect([countPuts(), reportedHosts]).toEqual([0, []])
})

test('the message about a refused host names the host, the setting that allows it, and the person to contact', async () => {
  const { base } = await startStorage()
  const client = clientFor('http://127.0.0.1:9', { uploadHosts: ['storage.example.com'] })
  const failure = failureOf(await client.sendPart(partFor(base)))
  const decision = decide(failure, { attempt: 1, streak: 1, isSessionLost: false }, () => 0)
  expect(decision).toMatchObject({ kind: 'condition', condition: 'storage', code: 'upload-host-refused' })
  const problem = problemOf('upload-host-refused', { detail: wordsOf(failure) })
  expect(problem).toMatchObject({ owner: 'admin', endsBy: 'settings' })
  expect(problem.sentence).toContain('parts may not go to 127.0.0.1')
  expect(problem.next).toMatch(/^Ask support .*service\.upload_hosts/)
  expect(problem.next).not.toContain('sign-in')
})

/** Resolves host names with this table. */
const lookupIn =
  (table: Readonly<Record<string, readonly string[]>>): LookupFunction =>
  (hostname, _options, callback) =>
    callback(
      null,
      (table[hostname] ?? []).map((address) => ({ address, family: 4 })),
    )

test.each<[string, string, readonly string[], boolean]>([
  ['outside this network', 'refused', ['93.184.216.34'], false],
  ['in this network', 'called', ['10.1.2.3'], true],
])('with a service %s, a storage host in this network is %s', async (_where, _result, service, isCalled) => {
  let calls = 0
  const storage = net.createServer((socket) => {
    calls += 1
    socket.destroy()
  })
  const port = await listen(storage)
  const lookup = lookupIn({ 'api.example.com': service, 'storage.example.net': ['127.0.0.1'] })
  const client = clientFor('https://api.example.com', { lookup })
  const outcome = await client.sendPart(partFor(`https://storage.example.net:${port}`))
  expect([outcome.ok, calls > 0]).toEqual([false, isCalled])
  if (isCalled) return
  expect(failureOf(outcome)).toMatchObject({
    kind: 'host-refused',
    detail:
      'parts may not go to storage.example.net, an address of this network, because the service is outside it',
  })
})

test('a storage host is reported once, when the first part goes there', async () => {
  const { base, countPuts } = await startStorage()
  const reportedHosts: string[] = []
  const client = clientFor(base, {
    uploadHosts: ['127.0.0.1'],
    onUploadHost: (host) => reportedHosts.push(host),
  })
  for (let n = 0; n < 2; n += 1) expect(await client.sendPart(partFor(base))).toMatchObject({ ok: true })
  expect([countPuts(), reportedHosts]).toEqual([2, ['127.0.0.1']])
})
