import { createHash } from 'node:crypto'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Outcome } from '../../../main/agent/domain/failure.ts'
import type { ServiceClient } from '../../../main/agent/ports/service.ts'
import { partDigest, wholeDigest } from '../../support/model/content.ts'
import { ModelService } from '../../support/model/service.ts'
import { SandboxProcess } from '../../support/sandbox-process.ts'
import { temporaryFolder } from '../platform-support.ts'
import { clientFor } from '../service-support.ts'

/** Proves that the service in memory and the sandbox give the same answers. */

const BYTES = Buffer.from('a few bytes')
const PART_SIZE = 8 * 1024 * 1024
const sha256 = createHash('sha256').update(BYTES).digest('hex')

type Implementation = {
  readonly client: ServiceClient
  readonly fileSha256: string
  readonly partSha256: string
}

const overHttp = async (): Promise<Implementation> => {
  const sandbox = await SandboxProcess.start(temporaryFolder())
  onTestFinished(() => sandbox.stop())
  return {
    client: clientFor(sandbox.baseUrl, { apiKey: sandbox.keys.write }),
    fileSha256: sha256,
    partSha256: sha256,
  }
}

const inMemory = async (): Promise<Implementation> => ({
  client: new ModelService(Date.now).client(),
  fileSha256: wholeDigest('content'),
  partSha256: partDigest('content', 1, PART_SIZE),
})

const kindOf = (outcome: Outcome<unknown>): string => (outcome.ok ? 'ok' : outcome.failure.kind)
const expectOk = <T>(outcome: Outcome<T>): T => {
  if (!outcome.ok) throw new Error(outcome.failure.kind)
  return outcome.value
}

describe.each([
  ['the service in memory', inMemory],
  ['the sandbox over HTTP', overHttp],
])('%s', (_, open) => {
  const { signal } = new AbortController()
  const request = (service: Implementation) => ({
    site: 'lab',
    filename: 'take.bin',
    bytes: BYTES.length,
    sha256: service.fileSha256,
    part_size: PART_SIZE,
  })
  const send = (service: Implementation, url: string) =>
    service.client.sendPart({
      url,
      sizeBytes: BYTES.length,
      sha256Base64: Buffer.from(service.partSha256, 'hex').toString('base64'),
      body: async function* () {
        yield BYTES
      },
      onProgress: () => {},
      signal,
    })

  test('creates, uploads and completes a session; a repeated request has no second effect (§3, §8)', async () => {
    const service = await open()
    const { client } = service
    const first = expectOk(await client.createSession(request(service), 'key-1', signal)).value
    const repeated = expectOk(await client.createSession(request(service), 'key-1', signal)).value
    expect(repeated.id).toBe(first.id)
    expect(first.upload.partSizeBytes).toBe(PART_SIZE)
    expect(first.upload.parts.map(({ number }) => number)).toEqual([1])

    const { etag } = expectOk(await send(service, first.upload.parts[0]!.url))
    const uploaded = expectOk(await client.retrieveSession(first.id, signal)).value
    expect(uploaded).toMatchObject({ status: 'uploading', sha256: service.fileSha256, upload: { parts: [] } })

    const parts = [{ number: 1, etag }]
    const wrongParts = [{ number: 1, etag: '"another"' }]
    const refusal = await client.completeSession(first.id, { parts: wrongParts }, 'key-2', signal)
    expect(refusal).toMatchObject({ failure: { kind: 'conflict', code: 'checksum_mismatch' } })
    expect(expectOk(await client.completeSession(first.id, { parts }, 'key-3', signal)).value.status).toBe(
      'processing',
    )
    expect(expectOk(await client.completeSession(first.id, { parts }, 'key-3', signal)).value.status).toBe(
      'processing',
    )
    expect(kindOf(await client.completeSession(first.id, { parts }, 'key-4', signal))).toBe('conflict')
    const retrieved = expectOk(await client.retrieveSession(first.id, signal)).value
    expect(['processing', 'processed']).toContain(retrieved.status)
    expect(retrieved.upload).toBeNull()
    const listedSessions = expectOk(await client.listSessions({ site: 'lab' }, signal)).value.sessions
    expect(listedSessions.map(({ id }) => id)).toEqual([first.id])
    expect(kindOf(await send(service, first.upload.parts[0]!.url))).toBe('rejected')
  })

  test('does not find a deleted session (§4.6, §7)', async () => {
    const service = await open()
    const { client } = service
    const { id } = expectOk(
      await client.createSession({ ...request(service), filename: 'other' }, 'key-5', signal),
    ).value
    expect(kindOf(await client.deleteSession(id, signal))).toBe('ok')
    expect(kindOf(await client.retrieveSession(id, signal))).toBe('not-found')
    expect(kindOf(await client.deleteSession(id, signal))).toBe('not-found')
    expect(kindOf(await client.completeSession(id, { parts: [] }, 'key-6', signal))).toBe('not-found')
  })

  test('reports that a key has write permission', async () => {
    expect(expectOk(await (await open()).client.testKey(signal))).toBe('write')
  })
})
