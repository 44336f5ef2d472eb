import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { freemem } from 'node:os'

const MEMORY_DRIVE = '/dev/shm'
const TMPFS = 0x01021994
const NEEDED_BYTES = 6e9

/**
 * The tests sync many small files, and each sync waits for the disk. In memory it costs nothing. Null without a drive in
 * memory, or if it has too little space.
 *
 * @returns {{ folder: string, remove: () => void } | null}
 */
export const openMemoryFolder = () => {
  if (!hasSpace()) return null
  const folder = mkdtempSync(`${MEMORY_DRIVE}/sluice-test-`)
  // As /tmp: tests start agents of different users.
  chmodSync(folder, 0o1777)
  return {
    folder,
    remove: () => rmSync(folder, { recursive: true, force: true }),
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
