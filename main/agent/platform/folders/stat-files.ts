import { type BigIntStats, lstatSync } from 'node:fs'
import { lstat } from 'node:fs/promises'
import type { Sharing } from '../../ports/folders.ts'
import { systemCode } from '../files/file-failure.ts'

/** The stats of a file, or the error code. */
export type StatResult = BigIntStats | string

export type StatFiles = {
  /** The maximum number of files per batch. */
  readonly batchSize: number
  /** Whether one synchronous call is acceptable, because the answer is in memory. */
  readonly areCached: boolean
  /** Returns the results in the order of the paths. */
  readonly stat: (paths: readonly string[]) => Promise<readonly StatResult[]>
}

const options = { bigint: true } as const
/** Concurrent calls to a drive that reads its answers from disk. */
const MAX_CONCURRENT = 4
/** A cached answer takes a hundredth of this. */
const CACHED_MS = 1

const codeOf = (error: unknown): string => {
  const code = systemCode(error)
  if (code === null) throw error
  return code
}

const statAsync = (path: string): Promise<StatResult> => lstat(path, options).catch(codeOf)

const statSync = (path: string): StatResult => {
  try {
    return lstatSync(path, options)
  } catch (error) {
    return codeOf(error)
  }
}

const asyncOnly = (maxConcurrent: number): StatFiles => ({
  batchSize: maxConcurrent,
  areCached: false,
  stat: (paths) => Promise.all(paths.map(statAsync)),
})

/**
 * A call through the thread pool costs five times as much as a cached answer. So the first file of a batch goes through
 * the pool and shows whether the drive answers from memory. If it does, Sluice reads the next files synchronously as
 * long as the answers stay fast. Otherwise it runs a few calls at a time in the pool.
 */
const cacheFirst: StatFiles = {
  batchSize: 128,
  areCached: true,
  stat: async (paths) => {
    const found: StatResult[] = []
    let isCached = false
    let askedAtMs = performance.now()
    while (found.length < paths.length) {
      const from = found.length
      const count = from === 0 ? 1 : MAX_CONCURRENT
      if (isCached) found.push(statSync(paths[from] as string))
      else found.push(...(await Promise.all(paths.slice(from, from + count).map(statAsync))))
      const answeredAtMs = performance.now()
      // A busy event loop looks like a slow drive. The next answer corrects that.
      isCached = answeredAtMs - askedAtMs < CACHED_MS
      askedAtMs = answeredAtMs
    }
    return found
  },
}

/**
 * A share or an unknown drive may hang. Calls to it never block the event loop. Only a few calls run at a time, because
 * each hung call holds a thread.
 */
export const statFilesOn: Readonly<Record<Sharing, StatFiles>> = {
  own: cacheFirst,
  unknown: asyncOnly(MAX_CONCURRENT),
  shared: asyncOnly(2),
}
