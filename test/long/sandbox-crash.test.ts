import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { launch } from '../contract/sandbox-process.ts'
import { patterned, Service, sha256 } from '../contract/service.ts'

type Confirmed = {
  readonly content: Map<string, Buffer>
  readonly parts: Map<string, Map<number, string>>
  readonly completed: Set<string>
  readonly deleted: Set<string>
  partCount: number
}

const partSizeBytes = 20_000
const rounds = 8

/** Uploads, completes and deletes until the connection breaks. */
async function work(service: Service, confirmed: Confirmed, seed: number): Promise<void> {
  for (let n = 0; ; n += 1) {
    const bytes = patterned(partSizeBytes * 2 + 5_000, seed * 1_000 + n)
    const created = await service.create(bytes, { partSizeBytes })
    confirmed.content.set(created.id, bytes)
    const etags = new Map<number, string>()
    confirmed.parts.set(created.id, etags)
    for (const part of created.upload.parts) {
      const [[number, etag]] = [...(await service.putParts([part], bytes, partSizeBytes))] as [
        [number, string],
      ]
      etags.set(number, etag)
      confirmed.partCount += 1
    }
    if ((seed + n) % 3 === 0) continue
    const answer = await service.complete(created.id, etags)
    if (answer.status === 200) confirmed.completed.add(created.id)
    if ((seed + n) % 3 === 1) continue
    const { status } = await service.call('DELETE', `/v1/sessions/${created.id}`)
    if (status === 200) confirmed.deleted.add(created.id)
  }
}

test('after a kill at any moment, the sandbox has everything that it confirmed, and no incomplete part', async () => {
  const data = await mkdtemp(join(tmpdir(), 'sandbox-crash-'))
  onTestFinished(() => rm(data, { recursive: true, force: true, maxRetries: 5 }))
  const confirmed: Confirmed = {
    content: new Map(),
    parts: new Map(),
    completed: new Set(),
    deleted: new Set(),
    partCount: 0,
  }
  const flags = ['--data', data, '--min-part-size', '1000', '--processing-delay', '0', '--control']
  const random = patterned(rounds, 4)
  for (let round = 0; round < rounds; round += 1) {
    const sandbox = await launch(...flags)
    const service = new Service(sandbox)
    const ended: unknown[] = []
    const workers = Array.from({ length: 6 }, (_, n) =>
      work(service, confirmed, round * 10 + n).catch((reason: unknown) => ended.push(reason)),
    )
    // Waits until the workers have done some work, and then for a random time.
    const enough = confirmed.partCount + 10 + (random[round]! % 30)
    while (confirmed.partCount < enough && ended.length === 0) await delay(1)
    // No worker may fail before the kill.
    expect(ended).toEqual([])
    await delay(random[round]! % 17)
    await sandbox.kill()
    await Promise.all(workers)
  }
  expect(confirmed.completed.size).toBeGreaterThan(0)
  expect(confirmed.deleted.size).toBeGreaterThan(0)

  const sandbox = await launch(...flags)
  onTestFinished(async () => void (await sandbox.stop()))
  const service = new Service(sandbox)
  await service.waitUntilNoOrphans()
  for (const [id, bytes] of confirmed.content) {
    if (confirmed.deleted.has(id)) {
      expect((await service.call('GET', `/v1/sessions/${id}`)).status).toBe(404)
      continue
    }
    const answer = await service.call('GET', `/v1/sessions/${id}`)
    // The sandbox may have deleted the session before the kill cut off the answer.
    if (answer.status === 404 && confirmed.completed.has(id)) continue
    expect(answer.status).toBe(200)
    const session = answer.json() as { status: string; upload?: { parts: { number: number }[] } }
    if (confirmed.completed.has(id)) expect(['processing', 'processed']).toContain(session.status)
    const missing = new Set(session.upload?.parts.map(({ number }) => number))
    for (const number of confirmed.parts.get(id)!.keys()) expect(missing.has(number)).toBe(false)
    // Every stored part is complete to the last byte, whether or not the sandbox confirmed it.
    const { parts } = (await service.operate('GET', `/objects/${id}`)) as {
      parts: { number: number; bytes: number; sha256: string; stored_sha256: string }[]
    }
    for (const part of parts) {
      const expected = bytes.subarray((part.number - 1) * partSizeBytes, part.number * partSizeBytes)
      expect(part).toMatchObject({ bytes: expected.length, stored_sha256: sha256(expected) })
    }
  }
})
