import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { freemem } from 'node:os'

const MEMORY_DRIVE = '/dev/shm'
const TMPFS = 0x01021994
const NEEDED_BYTES = 6e9

/**
 * Creates a folder in memory for the tests, because they sync many small files, which is slow on a disk. Returns null
 * if there is no drive in memory, or too little space.
 *
 * @returns {{ folder: string, remove: () => void } | null}
 */
export const openMemoryFolder = () => {
  if (!hasSpace()) return null
  const folder = mkdtempSync(`${MEMORY_DRIVE}/sluice-test-`)
  // The same mode as /tmp, because tests start agents of different users.
  chmodSync(folder, 0o1777)
  return {
    folder,
    // A child of the last test may still write while the folder is removed.
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }),
  }
}

const hasSpace = () => {
  try {
    const { type, bavail, bsize } = statfsSync(MEMORY_DRIVE)
    return type === TMPFS && Math.min(bavail * bsize, freemem()) > NEEDED_BYTES
  } catch {
    return false
  }
}
