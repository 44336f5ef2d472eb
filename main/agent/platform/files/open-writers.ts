import { open } from 'node:fs/promises'
import type { FileIdentity } from '../../domain/file-identity.ts'
import type { Clock } from '../../ports.ts'
import { systemCode } from './file-failure.ts'
import { listOpenWriters, type WriterSnapshot } from './proc-writers.ts'

export type OpenWriters = {
  /** Whether another process has this very file open for writing. False where the system cannot tell. */
  readonly holds: (path: string, identity: Pick<FileIdentity, 'device' | 'inode'>) => Promise<boolean>
  /** Paths of all files that other processes are writing; empty where the system cannot tell. */
  readonly paths: () => Promise<Iterable<string>>
}

/** One pass over /proc serves every file asked about within this time. */
const freshForMs = 1000

export const createOpenWriters = (
  clock: Pick<Clock, 'monotonicMs'>,
  platform: NodeJS.Platform = process.platform,
): OpenWriters => {
  if (platform === 'win32') return { holds: probeOnWindows, paths: async () => [] }
  if (platform !== 'linux') return { holds: async () => false, paths: async () => [] }
  let snapshot: Promise<WriterSnapshot> | null = null
  let takenAtMs = 0
  const current = (): Promise<WriterSnapshot> => {
    if (snapshot === null || clock.monotonicMs() - takenAtMs >= freshForMs) {
      takenAtMs = clock.monotonicMs()
      snapshot = listOpenWriters(clock)
    }
    return snapshot
  }
  return {
    holds: async (_path, { device, inode }) => (await current()).has(`${device}:${inode}`),
    paths: async () => (await current()).values(),
  }
}

/**
 * Asking for write access, sharing everything: refused while the writer shares less. Nothing is written, and an
 * exclusive open is left alone because the recorder itself could then be the one that is refused.
 */
const probeOnWindows = async (path: string): Promise<boolean> => {
  try {
    await (await open(path, 'r+')).close()
    return false
  } catch (error) {
    return systemCode(error) === 'EBUSY'
  }
}
