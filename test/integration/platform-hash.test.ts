import { appendFileSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { createHashPool } from '../../main/agent/platform/hashing/hash-pool.ts'
import type { HashRequest, HashThreads } from '../../main/agent/ports/hashing.ts'
import { linux, needs } from '../support/needs.ts'
import {
  createPattern,
  createSparseFile,
  digest,
  identityAt,
  never,
  temporaryFolder,
} from './platform-support.ts'

const openPool = (): HashThreads => {
  const pool = createHashPool()
  onTestFinished(() => pool.close())
  return pool
}

/** Tests share one pool where they can, because starting its threads takes longer than a hash. */
let cachedPool: HashThreads | null = null
const sharedPool = (): HashThreads => {
  cachedPool ??= createHashPool()
  return cachedPool
}
const closeSharedPool = async (): Promise<void> => {
  await cachedPool?.close()
  cachedPool = null
}
afterAll(closeSharedPool)

const requestFor = async (path: string, options: Partial<HashRequest> = {}): Promise<HashRequest> => ({
  path,
  identity: await identityAt(path),
  partSizeBytes: 8_000_000,
  onProgress: () => {},
  signal: never,
  ...options,
})

const partDigests = (content: Buffer, size: number): string[] =>
  Array.from({ length: Math.ceil(content.length / size) }, (_, at) =>
    digest(content.subarray(at * size, (at + 1) * size)),
  )

const MIB = 1024 * 1024
const createFile = (content: Buffer): string => {
  const path = join(temporaryFolder(), 'a.wav')
  writeFileSync(path, content)
  return path
}

describe('hashing a recording', () => {
  it.each([
    [1, 8_000_000],
    [MIB, MIB],
    [MIB + 1, MIB],
    [5 * MIB + 17, 2 * MIB],
    [5 * MIB + 17, 3_000_001],
    [4_000_000, 2_000_000],
    [100_000, 7],
    [1000, 7],
    [1000, 1000],
    [65_537, 8_000_000],
    [0, 8_000_000],
  ])(
    'returns the digests of a file of %d bytes and of its parts of %d bytes',
    async (sizeBytes, partSizeBytes) => {
      const content = createPattern(sizeBytes)
      const outcome = await sharedPool().hash(await requestFor(createFile(content), { partSizeBytes }))
      const value = { sha256: digest(content), partSha256: partDigests(content, partSizeBytes) }
      expect(outcome).toEqual({ ok: true, value })
    },
  )

  it('starts a second thread only for a file with several parts', needs(linux), async () => {
    await closeSharedPool()
    const pool = openPool()
    const isRunning = (thread: string) =>
      readdirSync('/proc/self/task').some((task) =>
        readFileSync(`/proc/self/task/${task}/comm`, 'utf8').startsWith(thread),
      )
    await pool.hash(await requestFor(createFile(createPattern(MIB))))
    expect([isRunning('hash-worker'), isRunning('part-hash')]).toEqual([true, false])
    await pool.hash(await requestFor(createFile(createPattern(9 * MIB))))
    expect([isRunning('hash-worker'), isRunning('part-hash')]).toEqual([true, true])
  })

  it('hashes concurrent requests correctly', async () => {
    const pool = openPool()
    const contents = [1, 2, 3, 4, 5].map((seed) => createPattern(seed * 1_333_333, seed))
    const outcomes = await Promise.all(
      contents.map(async (content) => pool.hash(await requestFor(createFile(content)))),
    )
    expect(outcomes.map((outcome) => outcome.ok && outcome.value.sha256)).toEqual(
      contents.map((c) => digest(c)),
    )
  })

  it.each<[string, (path: string) => void]>([
    ['grows', (path) => appendFileSync(path, 'more')],
    ['shrinks', (path) => truncateSync(path, 10)],
  ])('returns no digest of a file that %s during the read', async (_what, change) => {
    const path = join(temporaryFolder(), 'a.wav')
    createSparseFile(path, 1_500_000_000)
    let changes = 0
    const onProgress = () => {
      if (changes++ === 0) change(path)
    }
    const outcome = await sharedPool().hash(await requestFor(path, { onProgress }))
    expect(changes).toBeGreaterThan(0)
    expect(outcome).toMatchObject({ ok: false, failure: { kind: 'file-changed' } })
  })

  it.each([1000, 100_000])(
    'refuses to hash a file of %d bytes that does not have the expected identity',
    async (sizeBytes) => {
      const path = createFile(createPattern(sizeBytes))
      const request = await requestFor(path)
      writeFileSync(path, createPattern(sizeBytes, 2))
      expect(await sharedPool().hash(request)).toMatchObject({ ok: false, failure: { kind: 'file-changed' } })
    },
  )

  it('reports a missing file and a path that is not a file', async () => {
    const path = createFile(createPattern(1000))
    const request = await requestFor(path)
    const pool = openPool()
    expect(await pool.hash({ ...request, path: `${path}-none` })).toEqual({
      ok: false,
      failure: { kind: 'file-vanished' },
    })
    expect(await pool.hash({ ...request, path: join(path, '..') })).toMatchObject({
      ok: false,
      failure: { kind: 'file-unreadable' },
    })
  })

  it('when cancelled, immediately stops hashing a file of 2 TB, and continues with the next file', async () => {
    const pool = openPool()
    const huge = join(temporaryFolder(), 'huge.wav')
    createSparseFile(huge, 2_000_000_000_000)
    const cancel = new AbortController()
    const reports: number[] = []
    const onProgress = (bytes: number) => {
      reports.push(bytes)
      if (reports.length === 3) cancel.abort()
    }
    const cancelledHash = pool.hash(await requestFor(huge, { onProgress, signal: cancel.signal }))
    const content = createPattern(5_000_000)
    const nextHash = pool.hash(await requestFor(createFile(content)))
    expect(await cancelledHash).toEqual({ ok: false, failure: { kind: 'cancelled' } })
    expect(await nextHash).toMatchObject({ ok: true, value: { sha256: digest(content) } })
    expect(reports.length).toBe(3)
    expect([...reports].sort((a, b) => a - b)).toEqual(reports)
  })

  it('ends as cancelled if the pool closes, also for queued requests', async () => {
    const pool = openPool()
    const huge = join(temporaryFolder(), 'huge.wav')
    createSparseFile(huge, 2_000_000_000_000)
    const requests = [await requestFor(huge), await requestFor(huge)].map(pool.hash)
    await pool.close()
    const cancelled = { ok: false, failure: { kind: 'cancelled' } }
    expect(await Promise.all(requests)).toEqual([cancelled, cancelled])
    expect(await pool.hash(await requestFor(huge))).toEqual(cancelled)
  })

  it('fails if its thread dies, and the next job gets new threads', async () => {
    const pool = openPool()
    const content = createPattern(5_000_000)
    const request = await requestFor(createFile(content))
    // No path may contain this character, so the thread throws an unexpected error and ends.
    await expect(pool.hash({ ...request, path: 'nul\0' })).rejects.toThrow()
    expect(await pool.hash(request)).toMatchObject({ ok: true, value: { sha256: digest(content) } })
  })
})

describe('the digest of a range', () => {
  it('is correct and does not wait for a long hash', async () => {
    const pool = openPool()
    const huge = join(temporaryFolder(), 'huge.wav')
    createSparseFile(huge, 2_000_000_000_000)
    const cancel = new AbortController()
    const longHash = pool.hash(await requestFor(huge, { signal: cancel.signal }))
    const content = createPattern(5_000_000)
    const path = createFile(content)
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
    expect((await longHash).ok).toBe(false)
  })
})
