import { closeSync, openSync, readSync } from 'node:fs'

/** From memory a mebibyte takes a fraction of this; a drive that is as fast has room for both. */
const cachedMs = 2

/** How much was fetched from the drive since the last call; where only the time tells, one byte stands for some. */
export type DriveReads = (readMs: number) => number

/**
 * Linux counts for each thread what was fetched from storage. Elsewhere the time that it took has to tell, which a
 * busy processor makes longer too: then there is more rest than needed, never less.
 */
export const createDriveReads = (counters: string | null = '/proc/thread-self/io'): DriveReads => {
  const byTime: DriveReads = (readMs) => (readMs >= cachedMs ? 1 : 0)
  const buffer = Buffer.alloc(512)
  const fetched = (): number | null => {
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
  let before = fetched()
  if (before === null) return byTime
  return (readMs) => {
    const now = fetched()
    if (now === null || before === null) return byTime(readMs)
    const more = now - before
    before = now
    return more
  }
}
