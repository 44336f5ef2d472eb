import { readFileSync } from 'node:fs'
import { describe, expect, onTestFinished, test } from 'vitest'
import { patterned } from '../contract/service.ts'
import { Instances } from '../support/back-ends/instances.ts'
import { postgresql } from '../support/back-ends/postgres.ts'
import { RetryingClient } from '../support/back-ends/retrying-client.ts'
import { runServerStorm } from '../support/back-ends/server-storm.ts'
import { startSwift, swift } from '../support/back-ends/swift.ts'
import { needs } from '../support/needs.ts'
import { seeded } from '../support/seeded.ts'

const MB = 1_000_000

const peakMemoryBytes = (pid: number): number =>
  Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) * 1024

const openOnSwift = async (): Promise<Instances> => {
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
  return instances
}

describe('server instances on PostgreSQL and S3', needs(postgresql, swift), () => {
  test('lose nothing while instances are killed, the database restarts and the storage is down', async () => {
    const size = { stations: 4, recordings: 60, storageDownMs: 10_000 }
    const { violations, figures } = await runServerStorm({ ...size, random: seeded(29) })
    expect(violations).toEqual([])
    expect(figures).toMatchObject({ agents: 4, recordings: 60, events: 60 })
  })

  test('need less than 100 MB more memory for a part of 200 MB than for a small one', async () => {
    const instances = await openOnSwift()
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
