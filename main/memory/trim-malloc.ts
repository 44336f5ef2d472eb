import { createRequire } from 'node:module'
import type koffi from 'koffi'

/**
 * Returns the free memory of the C library to the system. Loading and compiling the program leaves 10 to 20 MB of it behind,
 * between small pieces that stay in use, so the C library keeps it. Only glibc has this call; elsewhere this does nothing.
 */
export const trimMalloc = (platform: NodeJS.Platform = process.platform): void => {
  if (platform !== 'linux') return
  try {
    const { load } = createRequire(import.meta.url)('koffi') as typeof koffi
    load('libc.so.6').func('int malloc_trim(size_t keep)')(0)
  } catch {
    // The system has a different C library, or no koffi.
  }
}
