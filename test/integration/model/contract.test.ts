import { createHash } from 'node:crypto'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Outcome } from '../../../main/agent/domain/failure.ts'
import type { ServiceClient } from '../../../main/agent/ports/service.ts'
import { partDigest, wholeDigest } from '../../support/model/content.ts'
import { ModelService } from '../../support/model/service.ts'
import { SandboxProcess } from '../../support/sandbox-process.ts'
import { temporaryFolder } from '../platform-support.ts'
import { clientFor } from '../service-support.ts'

/** The in-memory service answers every call of the stages like the real one. */

const BYTES = Buffer.from('a few bytes')
const PART_SIZE = 8 * 1024 * 1024
const sha256 = createHash('sha256').update(BYTES).digest('hex')

type Implementation = {
  readonly client: ServiceClient
  readonly whole: string
  readonly part: string
}

const overHttp = async (): Promise<Implementation> => {
  const sandbox = await SandboxProcess.start(temporaryFolder())
  onTestFinished(() => sandbox.stop())
  return { client: clientFor(sandbox.baseUrl, { apiKey: sandbox.keys.write }), whole: sha256, part: sha256 }
}

const inMemory = async (): Promise<Implementation> => ({
  client: new ModelService(Date.now).client(),
  whole: wholeDigest('content'),
  part: partDigest('content', 1, PART_SIZE),
})

const kindOf = (outcome: Outcome<unknown>): string => (outcome.ok ? 'ok' : outcome.failure.kind)
const success = <T>(outcome: Outcome<T>): T => {
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
    sha256: service.whole,
    part_size: PART_SIZE,
  })
  const send = (service: Implementation, url: string) =>
    service.client.sendPart({
      url,
      sizeBytes: BYTES.length,
      sha256Base64: Buffer.from(service.part, 'hex').toString('base64'),
      body: async function* () {
        yield BYTES
      },
      onProgress: () => {},
      signal,
    })

  test('creates, uploads and completes a session, each step once (§3, §8)', async () => {
    const service = await open()
    const { client } = service
    const first = success(await client.createSession(request(service), 'key-1', signal)).value
    const again = success(await client.createSession(request(service), 'key-1', signal)).value
    expect(again.id).toBe(first.id)
    expect(first.upload.partSize).toBe(PART_SIZE)
    expect(first.upload.parts.map(({ number }) => number)).toEqual([1])

    const { etag } = success(await send(service, first.upload.parts[0]!.url))
    const half = success(await client.retrieveSession(first.id, signal)).value
    expect(half).toMatchObject({ status: 'uploading', sha256: service.whole, upload: { parts: [] } })

    const parts = [{ number: 1, etag }]
    const wrong = [{ number: 1, etag: '"another"' }]
    const refused = await client.completeSession(first.id, { parts: wrong }, 'key-2', signal)
    expect(refused).toMatchObject({ failure: { kind: 'conflict', code: 'checksum_mismatch' } })
    expect(success(await client.completeSession(first.id, { parts }, 'key-3', signal)).value.status).toBe(
      'processing',
    )
    expect(success(await client.completeSession(first.id, { parts }, 'key-3', signal)).value.status).toBe(
      'processing',
    )
    expect(kindOf(await client.completeSession(first.id, { parts }, 'key-4', signal))).toBe('conflict')
    const seen = success(await client.retrieveSession(first.id, signal)).value
    expect(['processing', 'processed']).toContain(seen.status)
    expect(seen.upload).toBeNull()
    const listed = success(await client.listSessions({ site: 'lab' }, signal)).value.sessions
    expect(listed.map(({ id }) => id)).toEqual([first.id])
    expect(kindOf(await send(service, first.upload.parts[0]!.url))).toBe('rejected')
  })

  test('a deleted session is not found (§4.6, §7)', async () => {
    const service = await open()
    const { client } = service
    const { id } = success(
      await client.createSession({ ...request(service), filename: 'other' }, 'key-5', signal),
    ).value
    expect(kindOf(await client.deleteSession(id, signal))).toBe('ok')
    expect(kindOf(await client.retrieveSession(id, signal))).toBe('not-found')
    expect(kindOf(await client.deleteSession(id, signal))).toBe('not-found')
    expect(kindOf(await client.completeSession(id, { parts: [] }, 'key-6', signal))).toBe('not-found')
  })

  test('Sluice recognises a key with write permission', async () => {
    expect(success(await (await open()).client.testKey(signal))).toBe('write')
  })
})
