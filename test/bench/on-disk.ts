import { statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

const TMPFS = 0x01021994

/** Moves the temporary folder into memory, and so the folders of all benches. */
export const moveIntoMemory = (): void => {
  process.env.SLUICE_BENCH_DRIVE = tmpdir()
  process.env.TMPDIR = '/dev/shm'
}

/**
 * Keeps the folders of a bench on disk while `work` runs. Benches use this if they measure a drive, or if their files
 * do not fit into memory.
 */
export const onDisk = async <T>(work: () => Promise<T>): Promise<T> => {
  const before = process.env.TMPDIR
  process.env.TMPDIR = process.env.SLUICE_BENCH_DRIVE ?? tmpdir()
  try {
    return await work()
  } finally {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
  }
}

export const isInMemory = (folder: string): boolean => statfsSync(folder).type === TMPFS
