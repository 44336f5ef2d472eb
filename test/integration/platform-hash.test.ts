import { appendFileSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { queryObjects } from 'node:v8'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { createHashPool, type HashPoolOptions } from '../../main/agent/platform/hashing/hash-pool.ts'
import type { HashRequest, HashThreads } from '../../main/agent/ports/hashing.ts'
import { linux, needs } from '../support/needs.ts'
import { digest, identityAt, never, patterned, sparseFile, temporaryFolder } from './platform-support.ts'

const poolOf = (options?: HashPoolOptions): HashThreads => {
  const pool = createHashPool(options)
  onTestFinished(() => pool.close())
  return pool
}

/** Requests that leave no state in the pool share it, because starting its threads takes longer than the hash. */
let shared: HashThreads | null = null
const sharedPool = (): HashThreads => {
  shared ??= createHashPool()
  return shared
}
const closeSharedPool = async (): Promise<void> => {
  await shared?.close()
  shared = null
}
afterAll(closeSharedPool)

const requestFor = async (path: string, more: Partial<HashRequest> = {}): Promise<HashRequest> => ({
  path,
  identity: await identityAt(path),
  partSizeBytes: 8_000_000,
  onProgress: () => {},
  signal: never,
  ...more,
})

const partsOf = (content: Buffer, size: number): string[] =>
  Array.from({ length: Math.ceil(content.length / size) }, (_, at) =>
    digest(content.subarray(at * size, (at + 1) * size)),
  )

const mebibyte = 1024 * 1024
const fileOf = (content: Buffer): string => {
  const path = join(temporaryFolder(), 'a.wav')
  writeFileSync(path, content)
  return path
}

describe('hashing a recording', () => {
  it.each([
    [1, 8_000_000],
    [mebibyte, mebibyte],
    [mebibyte + 1, mebibyte],
    [5 * mebibyte + 17, 2 * mebibyte],
    [5 * mebibyte + 17, 3_000_001],
    [4_000_000, 2_000_000],
    [100_000, 7],
    [1000, 7],
    [1000, 1000],
    [65_537, 8_000_000],
    [0, 8_000_000],
  ])('returns the digest of the file and of each part: %d bytes by %d', async (sizeBytes, partSizeBytes) => {
    const content = patterned(sizeBytes)
    const outcome = await sharedPool().hash(await requestFor(fileOf(content), { partSizeBytes }))
    const value = { sha256: digest(content), partSha256: partsOf(content, partSizeBytes) }
    expect(outcome).toEqual({ ok: true, value })
  })

  it('starts a second thread only for a file with several parts', needs(linux), async () => {
    await closeSharedPool()
    const pool = poolOf()
    const isRunning = (thread: string) =>
      readdirSync('/proc/self/task').some((task) =>
        readFileSync(`/proc/self/task/${task}/comm`, 'utf8').startsWith(thread),
      )
    await pool.hash(await requestFor(fileOf(patterned(mebibyte))))
    expect([isRunning('hash-worker'), isRunning('part-hash')]).toEqual([true, false])
    await pool.hash(await requestFor(fileOf(patterned(9 * mebibyte))))
    expect([isRunning('hash-worker'), isRunning('part-hash')]).toEqual([true, true])
  })

  it.each([1000, 100_000])('keeps nothing in memory after hashing a file of %d bytes', async (sizeBytes) => {
    const pool = poolOf()
    const { signal } = new AbortController()
    const request = await requestFor(fileOf(patterned(sizeBytes)), { signal })
    const hashSome = async (files: number) => {
      for (let n = 0; n < files; n += 1) expect(await pool.hash(request)).toMatchObject({ ok: true })
      return queryObjects(AbortSignal, { format: 'count' })
    }
    const kept = await hashSome(1)
    expect(await hashSome(50)).toBeLessThan(kept + 25)
  })

  it('hashes concurrent requests correctly', async () => {
    const pool = poolOf()
    const contents = [1, 2, 3, 4, 5].map((seed) => patterned(seed * 1_333_333, seed))
    const outcomes = await Promise.all(
      contents.map(async (content) => pool.hash(await requestFor(fileOf(content)))),
    )
    expect(outcomes.map((outcome) => outcome.ok && outcome.value.sha256)).toEqual(
      contents.map((c) => digest(c)),
    )
  })

  it.each<[string, (path: string) => void]>([
    ['grows', (path) => appendFileSync(path, 'more')],
    ['shrinks', (path) => truncateSync(path, 10)],
  ])('refuses the digest of a file that %s while it is read', async (_what, change) => {
    const path = join(temporaryFolder(), 'a.wav')
    sparseFile(path, 1_500_000_000)
    let changes = 0
    const onProgress = () => {
      if (changes++ === 0) change(path)
    }
    const outcome = await sharedPool().hash(await requestFor(path, { onProgress }))
    expect(changes).toBeGreaterThan(0)
    expect(outcome).toMatchObject({ ok: false, failure: { kind: 'file-changed' } })
  })

  it.each([1000, 100_000])(
    'refuses to hash %d bytes whose file does not have the expected identity',
    async (sizeBytes) => {
      const path = fileOf(patterned(sizeBytes))
      const request = await requestFor(path)
      writeFileSync(path, patterned(sizeBytes, 2))
      expect(await sharedPool().hash(request)).toMatchObject({ ok: false, failure: { kind: 'file-changed' } })
    },
  )

  it('reports a missing file and a path that is not a file', async () => {
    const path = fileOf(patterned(1000))
    const request = await requestFor(path)
    const pool = poolOf()
    expect(await pool.hash({ ...request, path: `${path}-none` })).toEqual({
      ok: false,
      failure: { kind: 'file-vanished' },
    })
    expect(await pool.hash({ ...request, path: join(path, '..') })).toMatchObject({
      ok: false,
      failure: { kind: 'file-unreadable' },
    })
  })

  it('stops a file of 2 TB at once when cancelled, and continues with the next', async () => {
    const pool = poolOf()
    const huge = join(temporaryFolder(), 'huge.wav')
    sparseFile(huge, 2_000_000_000_000)
    const cancel = new AbortController()
    const reports: number[] = []
    const onProgress = (bytes: number) => {
      reports.push(bytes)
      if (reports.length === 3) cancel.abort()
    }
    const stopped = pool.hash(await requestFor(huge, { onProgress, signal: cancel.signal }))
    const content = patterned(5_000_000)
    const next = pool.hash(await requestFor(fileOf(content)))
    expect(await stopped).toEqual({ ok: false, failure: { kind: 'cancelled' } })
    expect(await next).toMatchObject({ ok: true, value: { sha256: digest(content) } })
    expect(reports.length).toBe(3)
    expect([...reports].sort((a, b) => a - b)).toEqual(reports)
  })

  it('answers queued and running requests when it closes', async () => {
    const pool = poolOf()
    const huge = join(temporaryFolder(), 'huge.wav')
    sparseFile(huge, 2_000_000_000_000)
    const requests = [await requestFor(huge), await requestFor(huge)].map(pool.hash)
    await pool.close()
    const cancelled = { ok: false, failure: { kind: 'cancelled' } }
    expect(await Promise.all(requests)).toEqual([cancelled, cancelled])
    expect(await pool.hash(await requestFor(huge))).toEqual(cancelled)
  })

  it('after a thread dies, its job fails and the next job gets new threads', async () => {
    const pool = poolOf()
    const content = patterned(5_000_000)
    const request = await requestFor(fileOf(content))
    // No valid path contains this character, so it causes a bug that ends the thread.
    await expect(pool.hash({ ...request, path: 'nul\0' })).rejects.toThrow()
    expect(await pool.hash(request)).toMatchObject({ ok: true, value: { sha256: digest(content) } })
  })
})

describe('the digest of a range', () => {
  it('is correct and does not wait for a long hash', async () => {
    const pool = poolOf()
    const huge = join(temporaryFolder(), 'huge.wav')
    sparseFile(huge, 2_000_000_000_000)
    const cancel = new AbortController()
    const long = pool.hash(await requestFor(huge, { signal: cancel.signal }))
    const content = patterned(5_000_000)
    const path = fileOf(content)
    expect(await pool.digest('md5', path, { start: 1_000_001, length: 3_000_000 })).toEqual({
      ok: true,
      value: digest(content.subarray(1_000_001, 4_000_001), 'md5'),
    })
    expect(await pool.digest('sha256', path, { start: 4_000_000, length: 3_000_000 })).toMatchObject({
      ok: false,
      failure: { kind: 'file-changed' },
    })
    expect(await pool.digest('md5', `${path}-none`, { start: 0, length: 1 })).toEqual({
      ok: false,
      failure: { kind: 'file-vanished' },
    })
    cancel.abort()
    expect((await long).ok).toBe(false)
  })
})
