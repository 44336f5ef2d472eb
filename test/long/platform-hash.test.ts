import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { queryObjects } from 'node:v8'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createHashPool } from '../../main/agent/platform/hashing/hash-pool.ts'
import type { HashRequest, HashThreads } from '../../main/agent/ports/hashing.ts'
import { createPattern, identityAt, never, temporaryFolder } from '../integration/platform-support.ts'

const openPool = (): HashThreads => {
  const pool = createHashPool()
  onTestFinished(() => pool.close())
  return pool
}

const requestFor = async (path: string, options: Partial<HashRequest> = {}): Promise<HashRequest> => ({
  path,
  identity: await identityAt(path),
  partSizeBytes: 8_000_000,
  onProgress: () => {},
  signal: never,
  ...options,
})

const createFile = (content: Buffer): string => {
  const path = join(temporaryFolder(), 'a.wav')
  writeFileSync(path, content)
  return path
}

describe('hashing a recording', () => {
  it.each([1000, 100_000])(
    'keeps no abort signals in memory after hashing files of %d bytes',
    async (sizeBytes) => {
      const pool = openPool()
      const { signal } = new AbortController()
      const request = await requestFor(createFile(createPattern(sizeBytes)), { signal })
      const hashSome = async (files: number) => {
        for (let n = 0; n < files; n += 1) expect(await pool.hash(request)).toMatchObject({ ok: true })
        return queryObjects(AbortSignal, { format: 'count' })
      }
      const signalsBefore = await hashSome(1)
      expect(await hashSome(50)).toBeLessThan(signalsBefore + 25)
    },
  )
})
