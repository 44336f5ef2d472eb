import { stat } from 'node:fs/promises'
import type { FileIdentity } from '../../domain/file-identity.ts'
import type { Clock, Log } from '../../ports/clock.ts'
import type { FileInspection } from '../../ports/files.ts'
import { DriveCalls } from './drive-calls.ts'
import { createMappingList, mappedBy } from './proc-mappings.ts'
import { listOpenWriters, type WriterSnapshot } from './proc-writers.ts'
import { isUnseen, moreUnread } from './unread-processes.ts'
import { createFileUsers } from './windows-file-users.ts'
import { loadNativeCalls } from './windows-native.ts'
import { createWindowsWriters } from './windows-writers.ts'

/**
 * Hard case: A recorder pauses.
 * Sluice asks the system who has the file open: `/proc` on Linux, the Restart Manager on Windows, trusted
 * once it has reported a file of our own. If the system cannot tell, the settler waits three times the
 * settle time and compares the last bytes.
 */

/** `ownerUid`: the user who owns it; absent where the system has no such number. */
export type OwnedFile = Pick<FileIdentity, 'device' | 'inode'> & { readonly ownerUid?: number }

export type OpenWriters = {
  /**
   * Whether another process has this very file open for writing. `unseen` where the system cannot tell. `anew`: whoever
   * opened it before the question is seen.
   */
  readonly writerOf: (path: string, identity: OwnedFile, look?: 'anew') => Promise<FileInspection['writer']>
  /** All files that other processes have open for writing; null where the system has no such list. */
  readonly list: (() => Promise<WriterSnapshot>) | null
}

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

/** One pass over /proc answers every question of the next second, unless somebody asks anew. */
const keptPass = <T>(clock: Pick<Clock, 'monotonicMs'>, pass: () => Promise<T>) => {
  let kept: { readonly result: Promise<T>; readonly atMs: number } | null = null
  return (look?: 'anew'): Promise<T> => {
    const nowMs = clock.monotonicMs()
    if (look === 'anew' || kept === null || nowMs - kept.atMs >= freshForMs)
      kept = { result: pass(), atMs: nowMs }
    return kept.result
  }
}

const createProcWriters = (clock: Pick<Clock, 'monotonicMs'>): OpenWriters => {
  // Their own: whoever writes to a drive that hangs keeps nobody from being seen for long.
  const calls = new DriveCalls({ timeoutMs: writerPatienceMs })
  const opened = keptPass(clock, () => listOpenWriters(clock, calls))
  // A pass over all mappings costs several times as much as one over all descriptors, and recorders that map their
  // file are few: it is only made for a file that no descriptor writes, so never while nothing is about to finish.
  const mapped = keptPass(clock, createMappingList(writerPatienceMs))
  const statMapped = (path: string) => calls.run(null, () => stat(path, { bigint: true }))
  return {
    writerOf: async (path, identity, look) => {
      const open = await opened(look)
      if (open.writers.has(`${identity.device}:${identity.inode}`)) return 'open'
      const maps = await mapped(look)
      if (await mappedBy(maps.mapped, path, identity, statMapped)) return 'open'
      return isUnseen(moreUnread(open.unread, maps.unread), identity.ownerUid) ? 'unseen' : 'none'
    },
    list: async () => (await opened()).writers,
  }
}
