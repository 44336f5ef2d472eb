import { closeSync, openSync, readSync } from 'node:fs'

/**
 * Reading 1 MiB from the cache takes a fraction of this time. Sluice does not rest after reads from a drive that is
 * this fast.
 */
const MAX_CACHED_READ_MS = 2

/**
 * Returns how many bytes were read from the drive since the last call. If only the duration is known, returns 0 for the
 * cache and 1 for the drive.
 */
export type DriveReads = (readMs: number) => number

/**
 * Linux counts the bytes that each thread and each process reads from storage. `counters` is the file with one of these
 * counts. On other systems, Sluice knows only the duration of a read. A busy processor also makes reads longer, so
 * Sluice may rest longer than needed, but never shorter.
 */
export const createDriveReads = (counters: string | null = '/proc/thread-self/io'): DriveReads => {
  const estimateByTime: DriveReads = (readMs) => (readMs >= MAX_CACHED_READ_MS ? 1 : 0)
  const buffer = Buffer.alloc(512)
  const readCounter = (): number | null => {
    if (counters === null) return null
    let fd: number | null = null
    try {
      fd = openSync(counters, 'r')
      const text = buffer.toString('latin1', 0, readSync(fd, buffer, 0, buffer.length, 0))
      const match = /^read_bytes: (\d+)$/m.exec(text)
      return match === null ? null : Number(match[1])
    } catch {
      return null
    } finally {
      if (fd !== null) closeSync(fd)
    }
  }
  let previousBytes = readCounter()
  if (previousBytes === null) return estimateByTime
  return (readMs) => {
    const totalBytes = readCounter()
    if (totalBytes === null || previousBytes === null) return estimateByTime(readMs)
    const bytes = totalBytes - previousBytes
    previousBytes = totalBytes
    return bytes
  }
}
