import { createRequire } from 'node:module'
import type koffi from 'koffi'

type MallocTrim = (keep: number) => number

/**
 * Loaded once, because each load leaves a few kilobytes behind. Null if the system has another C library, or if koffi
 * is missing.
 */
let mallocTrim: MallocTrim | null | undefined

const loadMallocTrim = (): MallocTrim | null => {
  try {
    const { load } = createRequire(import.meta.url)('koffi') as typeof koffi
    return load('libc.so.6').func('int malloc_trim(size_t keep)') as MallocTrim
  } catch {
    return null
  }
}

/**
 * Returns the free memory of the C library to the system. After the program is loaded and compiled, 10 to 20 MB are
 * free, but the C library keeps them, because small pieces between them stay in use. Does nothing
 * with a C library other than glibc.
 */
export const trimMalloc = (platform: NodeJS.Platform = process.platform): void => {
  if (platform !== 'linux') return
  if (mallocTrim === undefined) mallocTrim = loadMallocTrim()
  mallocTrim?.(0)
}
