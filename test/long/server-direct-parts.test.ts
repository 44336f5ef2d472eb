import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Session, UploadPart } from '../../shared/contract/control-api.ts'
import { send } from '../contract/raw-http.ts'
import { newSession, patterned, sha256 } from '../contract/service.ts'
import { Instances } from '../support/back-ends/instances.ts'
import { postgresql } from '../support/back-ends/postgres.ts'
import { RetryingClient } from '../support/back-ends/retrying-client.ts'
import { startSwift, swift } from '../support/back-ends/swift.ts'
import { startVerifyingStorage } from '../support/back-ends/verifying-storage.ts'
import { needs } from '../support/needs.ts'

const openStorage = async () => {
  const storage = await startSwift()
  onTestFinished(() => storage.stop())
  const { bucket, region, credentials } = storage.s3
  const env = {
    AWS_ACCESS_KEY_ID: credentials!.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials!.secretAccessKey,
  }
  const client = new S3Client({ ...storage.s3, forcePathStyle: true })
  onTestFinished(() => client.destroy())
  return {
    swiftEndpoint: storage.s3.endpoint!,
    open: async (endpoint: string, prefix = 'lab') => {
      const instances = await Instances.open(
        `s3://${bucket}/${prefix}?endpoint=${endpoint}&region=${region}`,
        env,
      )
      onTestFinished(() => instances.close())
      return instances
    },
    objects: async (prefix: string) =>
      (await client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix }))).Contents ?? [],
  }
}

type Created = { readonly id: string; readonly upload: { readonly parts: UploadPart[] } }

describe('parts that go to the storage directly', needs(postgresql, swift), () => {
  test('are verified by the storage, and a signed URL fits one part of one size only', async () => {
    const storage = await openStorage()
    const verifying = await startVerifyingStorage(storage.swiftEndpoint)
    onTestFinished(() => verifying.close())
    const instances = await storage.open(verifying.endpoint)
    const key = await instances.newKey()
    await instances.start('--direct-parts', 'true')
    const client = new RetryingClient(instances.baseUrl, key)

    const bytes = patterned(2_500)
    const created = (
      await client.call('POST', '/v1/sessions', newSession(bytes))
    ).json() as unknown as Created
    const { id, upload } = created
    expect(upload.parts.map(({ url }) => new URL(url).origin)).toEqual(
      [1, 2, 3].map(() => verifying.endpoint),
    )
    const put = async (url: string, body: Buffer, checksum = sha256(body, 'base64')) =>
      send({ method: 'PUT', url, headers: { 'x-amz-checksum-sha256': checksum }, body })
    const part = (number: number) => bytes.subarray((number - 1) * 1_000, number * 1_000)
    const url = (number: number) => upload.parts[number - 1]!.url

    // The storage refuses a different part, more or fewer bytes, a longer lifetime, no signature, or a wrong SHA-256.
    expect((await put(url(1).replace('/1?', '/2?'), part(1))).status).toBe(403)
    expect((await put(url(3), part(1))).status).toBe(403)
    expect((await put(url(1), part(3))).status).toBe(403)
    expect((await put(url(1).replace('X-Amz-Expires=3600', 'X-Amz-Expires=7200'), part(1))).status).toBe(403)
    // Swift does not recognise a request without a signature as one for its S3 API.
    expect([400, 403]).toContain((await put(url(1).split('?')[0]!, part(1))).status)
    expect((await put(url(1), part(1), sha256(part(2), 'base64'))).status).toBe(400)
    expect(await storage.objects('lab/direct/ses_')).toEqual([])

    const etags = [await put(url(1), part(1)), await put(url(2), part(2))].map(({ headers }) => headers.etag!)
    const retrieved = (await client.call('GET', `/v1/sessions/${id}`)).json() as unknown as Created
    expect(retrieved.upload.parts.map(({ number }) => number)).toEqual([3])
    etags.push((await put(retrieved.upload.parts[0]!.url, part(3))).headers.etag!)
    // The station sends a part again, because it lost the answer.
    await put(url(2), part(2))
    const parts = etags.map((etag, index) => ({ number: index + 1, etag }))
    await client.call('POST', `/v1/sessions/${id}/complete`, { parts })
    // The URL is still valid, but bytes sent now do not change the recording.
    await put(url(2), patterned(1_000, 9))
    expect(await client.waitUntilProcessed(id)).toMatchObject({ status: 'processed', sha256: sha256(bytes) })
    await client.call('DELETE', `/v1/sessions/${id}`)
    expect(await storage.objects('lab/')).toEqual([])
  })

  test('complete a recording of many parts, under a prefix with special characters', async () => {
    const storage = await openStorage()
    const verifying = await startVerifyingStorage(storage.swiftEndpoint)
    onTestFinished(() => verifying.close())
    const instances = await storage.open(verifying.endpoint, 'räume 1/a+b%2F(c)')
    const key = await instances.newKey()
    await instances.start('--direct-parts', 'true')
    const client = new RetryingClient(instances.baseUrl, key)
    const id = await client.upload(patterned(40_000), 'many.bin')
    const session = (await client.waitUntilProcessed(id)) as Session
    expect(session).toMatchObject({ status: 'processed', sha256: sha256(patterned(40_000)) })
  })

  test('keep the server from starting if the storage does not verify them', async () => {
    const storage = await openStorage()
    const instances = await storage.open(storage.swiftEndpoint)
    await expect(instances.start('--direct-parts', 'true')).rejects.toThrow(
      'direct_parts cannot be used: the storage accepts a part with a wrong SHA-256.',
    )
  })
})
