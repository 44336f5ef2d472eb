import type { FileIdentity } from '../../domain/file-identity.ts'
import type { Clock, FileInspection, Log } from '../../ports.ts'
import { DriveCalls } from './drive-calls.ts'
import { listOpenWriters, type WriterSnapshot } from './proc-writers.ts'
import { createFileUsers } from './windows-file-users.ts'
import { loadNativeCalls } from './windows-native.ts'
import { createWindowsWriters } from './windows-writers.ts'

export type OpenWriters = {
  /**
   * Whether another process has this very file open for writing. `unseen` where the system cannot tell. `anew`: whoever
   * opened it before the question is seen.
   */
  readonly writerOf: (
    path: string,
    identity: Pick<FileIdentity, 'device' | 'inode'>,
    look?: 'anew',
  ) => Promise<FileInspection['writer']>
  /** All files that other processes have open for writing; null where the system has no such list. */
  readonly list: (() => Promise<WriterSnapshot>) | null
}

/** One pass over /proc serves every file asked about within this time. */
const freshForMs = 1000
const writerPatienceMs = 4000

export const createOpenWriters = (
  clock: Pick<Clock, 'monotonicMs'>,
  log: Pick<Log, 'info' | 'warn'>,
  platform: NodeJS.Platform = process.platform,
): OpenWriters => {
  switch (platform) {
    case 'linux':
      return createProcWriters(clock)
    case 'win32':
      // Loaded on Windows only: nowhere else is a library for native calls in the process.
      return createWindowsWriters({
        load: async () => createFileUsers(await loadNativeCalls()),
        log,
      })
    default:
      return { writerOf: async () => 'unseen', list: null }
  }
}

const createProcWriters = (clock: Pick<Clock, 'monotonicMs'>): OpenWriters => {
  let snapshot: Promise<WriterSnapshot> | null = null
  let takenAtMs = 0
  // Their own: whoever writes to a drive that hangs keeps nobody from being seen for long.
  const calls = new DriveCalls({ patienceMs: writerPatienceMs })
  const current = (look?: 'anew'): Promise<WriterSnapshot> => {
    if (look === 'anew' || snapshot === null || clock.monotonicMs() - takenAtMs >= freshForMs) {
      takenAtMs = clock.monotonicMs()
      snapshot = listOpenWriters(clock, calls)
    }
    return snapshot
  }
  return {
    writerOf: async (_path, { device, inode }, look) =>
      (await current(look)).has(`${device}:${inode}`) ? 'open' : 'none',
    list: () => current(),
  }
}
