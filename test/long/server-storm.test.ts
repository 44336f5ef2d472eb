import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Session } from '../../shared/contract/control-api.ts'
import { patterned, sha256 } from '../contract/service.ts'
import { startWebhookReceiver } from '../contract/webhook-receiver.ts'
import { Instances } from '../support/back-ends/instances.ts'
import { postgresql } from '../support/back-ends/postgres.ts'
import { RetryingClient } from '../support/back-ends/retrying-client.ts'
import { startSwift, swift } from '../support/back-ends/swift.ts'
import { needs } from '../support/needs.ts'

const MB = 1_000_000

const peakMemoryBytes = (pid: number): number =>
  Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) * 1024

const openOnSwift = async (): Promise<{
  instances: Instances
  storage: Awaited<ReturnType<typeof startSwift>>
}> => {
  const storage = await startSwift()
  onTestFinished(() => storage.stop())
  const { bucket, region, endpoint, credentials } = storage.s3
  const bytes = `s3://${bucket}/lab?endpoint=${endpoint}&region=${region}`
  const env = {
    AWS_ACCESS_KEY_ID: credentials!.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials!.secretAccessKey,
  }
  const instances = await Instances.open(bytes, env)
  onTestFinished(() => instances.close())
  return { instances, storage }
}

describe('three instances on PostgreSQL and S3', needs(postgresql, swift), () => {
  test('lose nothing while instances are killed, the database restarts and the storage is down', async () => {
    const { instances, storage } = await openOnSwift()
    const organisations = await Promise.all(
      ['One', 'Two'].map(async (name) => {
        const hook = await startWebhookReceiver()
        onTestFinished(() => hook.close())
        return { key: await instances.newKey(name), hook, ids: [] as string[], digests: [] as string[] }
      }),
    )
    for (let n = 0; n < 3; n += 1) await instances.start()
    let isUploading = true
    const kills = (async () => {
      while (isUploading) {
        // An instance that starts while the database restarts exits. A service manager would start it again.
        const instance = await instances.start().catch(() => null)
        if (instance !== null) await instances.kill(instances.running[0]!)
        await delay(3_000)
      }
    })()
    const outages = (async () => {
      for (let n = 0; n < 2; n += 1) {
        await delay(4_000)
        await instances.postgres.restart()
      }
      storage.pause()
      await delay(10_000)
      storage.resume()
    })()

    const upload = async ({ key, hook, ids, digests }: (typeof organisations)[number], seed: number) => {
      const client = new RetryingClient(instances.baseUrl, key)
      await client.call('POST', '/v1/webhook_endpoints', { url: hook.url, events: ['session.processed'] })
      const station = async (first: number) => {
        for (let n = first; n < 100; n += 4) {
          const bytes = patterned(2_500, seed + n)
          digests.push(sha256(bytes))
          ids.push(await client.upload(bytes, `run-${n}.bin`))
        }
      }
      await Promise.all([0, 1, 2, 3].map(station))
      return Promise.all(ids.map((id) => client.waitUntilProcessed(id)))
    }
    const processedSessions = await Promise.all(
      organisations.map((organisation, n) => upload(organisation, 1 + n * 1_000)),
    )
    await outages
    isUploading = false
    await kills

    for (const [n, { key, hook, ids, digests }] of organisations.entries()) {
      expect(processedSessions[n]!.map(({ status }) => status)).toEqual(ids.map(() => 'processed'))
      const client = new RetryingClient(instances.baseUrl, key)
      const sessions = (await client.call('GET', '/v1/sessions?limit=500')).json().data as Session[]
      expect(sessions.map((session) => session.sha256).sort()).toEqual([...digests].sort())
      const events = () => new Map(hook.deliveries.map(({ event }) => [event.id, event.data.object.id]))
      await expect.poll(() => events().size, { timeout: 300_000 }).toBe(ids.length)
      // The receiver gets one event for each recording, of its own organisation only.
      expect([...events().values()].sort()).toEqual([...ids].sort())
    }
  })

  test('need no more memory for a part of 200 MB than for a small one', async () => {
    const { instances } = await openOnSwift()
    const key = await instances.newKey()
    const instance = await instances.start()
    const client = new RetryingClient(instances.baseUrl, key)
    await client.upload(patterned(2_500), 'small.bin')
    const before = peakMemoryBytes(instance.child.pid!)
    const id = await client.upload(Buffer.alloc(200 * MB, 7), 'large.bin', 200 * MB)
    expect((await client.waitUntilProcessed(id)).bytes).toBe(200 * MB)
    expect(peakMemoryBytes(instance.child.pid!) - before).toBeLessThan(100 * MB)
  })
})
