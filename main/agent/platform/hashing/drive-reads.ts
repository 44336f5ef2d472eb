import { closeSync, openSync, readSync } from 'node:fs'

/** Reading 1 MiB from the cache takes a fraction of this time. A drive that is this fast counts as the cache, too. */
const MAX_CACHED_READ_MS = 2

/**
 * Returns how many bytes were read from the drive since the last call. On a system without such counters, returns 0 for
 * the cache and 1 for the drive.
 */
export type DriveReads = (readMs: number) => number

/**
 * Linux counts the bytes that each thread and each process reads from storage; `counters` is such a file. Other systems
 * show only how long a read takes. A busy processor makes it longer, so Sluice may pause for longer than it needs to.
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
