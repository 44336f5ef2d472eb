import { type BigIntStats, lstatSync } from 'node:fs'
import { lstat } from 'node:fs/promises'
import type { Sharing } from '../../ports/folders.ts'
import { systemCode } from '../files/file-failure.ts'

/** The stats of a file, or the error code. */
export type StatResult = BigIntStats | string

export type StatFiles = {
  /** The maximum number of files per batch. */
  readonly batchSize: number
  /** Whether Sluice may read synchronously if the answer seems to be in memory. */
  readonly maySyncRead: boolean
  /** Returns the results in the order of the paths. */
  readonly stat: (paths: readonly string[]) => Promise<readonly StatResult[]>
}

const options = { bigint: true } as const
/** For a drive whose answers are not cached, or that may hang. */
const MAX_CONCURRENT_CALLS = 4
/** Faster answers come from the cache, which usually needs only a hundredth of this time. */
const MAX_CACHED_STAT_MS = 1

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
  maySyncRead: false,
  stat: (paths) => Promise.all(paths.map(statAsync)),
})

/**
 * A call through the thread pool costs five times as much as a cached answer. So only the first file of a batch always
 * goes through the pool. If its answer is fast, Sluice reads the next files synchronously, for as long as the answers
 * stay fast.
 */
const cacheFirst: StatFiles = {
  batchSize: 128,
  maySyncRead: true,
  stat: async (paths) => {
    const results: StatResult[] = []
    let isCached = false
    let calledAtMs = performance.now()
    while (results.length < paths.length) {
      const from = results.length
      const count = from === 0 ? 1 : MAX_CONCURRENT_CALLS
      if (isCached) results.push(statSync(paths[from] as string))
      else results.push(...(await Promise.all(paths.slice(from, from + count).map(statAsync))))
      const answeredAtMs = performance.now()
      // A busy event loop looks like a slow drive, until the next answer.
      isCached = answeredAtMs - calledAtMs < MAX_CACHED_STAT_MS
      calledAtMs = answeredAtMs
    }
    return results
  },
}

/**
 * A share or an unknown drive may hang. Calls to it never block the event loop. Only a few calls run at a time, because
 * each hung call holds a thread.
 */
export const statFilesOn: Readonly<Record<Sharing, StatFiles>> = {
  own: cacheFirst,
  unknown: asyncOnly(MAX_CONCURRENT_CALLS),
  shared: asyncOnly(2),
}
