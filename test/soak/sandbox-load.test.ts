import { expect, onTestFinished, test } from 'vitest'
import { pool } from '../contract/raw-http.ts'
import { launch } from '../contract/sandbox-process.ts'
import { patterned, Service, sha256 } from '../contract/service.ts'

test('the sandbox handles 1,000 small sessions at the same time, loses nothing, and needs less than 200 MB of memory', async () => {
  const sandbox = await launch(
    '--min-part-size',
    '1000',
    '--processing-delay',
    '0',
    '--rate-limit',
    '1000000',
    '--control',
  )
  onTestFinished(async () => void (await sandbox.stop()))
  const agent = pool(1_000)
  onTestFinished(() => agent.destroy())
  const service = new Service(sandbox, agent)
  const files = Array.from({ length: 1_000 }, (_, n) => patterned(2_000 + n, n))
  const ids = await Promise.all(files.map((bytes) => service.upload(bytes)))
  expect(new Set(ids).size).toBe(1_000)
  await Promise.all(
    ids.map(async (id, n) => {
      expect((await service.waitUntilProcessed(id)).status).toBe('processed')
      const stored = await service.operate('GET', `/objects/${id}`)
      expect(stored).toMatchObject({ bytes: files[n]!.length, sha256: sha256(files[n]!) })
    }),
  )
  expect(sandbox.peakMemoryBytes()).toBeLessThan(200e6)
})
