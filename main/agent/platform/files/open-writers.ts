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

/** `ownerUid`: the user who owns it; absent where the system has no such number. */
export type OwnedFile = Pick<FileIdentity, 'device' | 'inode'> & { readonly ownerUid?: number }

export type OpenWriters = {
  /**
   * Whether another process has this file open for writing; `unseen` if the system cannot tell. `anew` ignores cached
   * results, so every writer that opened the file before this call is seen.
   */
  readonly writerOf: (
    path: string,
    identity: Pick<FileIdentity, 'device' | 'inode'>,
    look?: 'anew',
  ) => Promise<FileInspection['writer']>
  /** All files that other processes have open for writing; null if the system has no such list. */
  readonly list: (() => Promise<WriterSnapshot>) | null
}

const CACHE_MS = 1000
const WRITER_TIMEOUT_MS = 4000

export const createOpenWriters = (
  clock: Pick<Clock, 'monotonicMs'>,
  log: Pick<Log, 'info' | 'warn'>,
  platform: NodeJS.Platform = process.platform,
): OpenWriters => {
  switch (platform) {
    case 'linux':
      return createProcWriters(clock)
    case 'win32':
      // Other systems never load a library for native calls.
      return createWindowsWriters({
        load: async () => createFileUsers(await loadNativeCalls()),
        log,
      })
    default:
      return { writerOf: async () => 'unseen', list: null }
  }
}

/** Caches one pass over /proc for a second, unless the caller asks for a new one. */
const cached = <T>(clock: Pick<Clock, 'monotonicMs'>, pass: () => Promise<T>) => {
  let kept: { readonly result: Promise<T>; readonly atMs: number } | null = null
  return (look?: 'anew'): Promise<T> => {
    const nowMs = clock.monotonicMs()
    if (look === 'anew' || kept === null || nowMs - kept.atMs >= CACHE_MS)
      kept = { result: pass(), atMs: nowMs }
    return kept.result
  }
}

const createProcWriters = (clock: Pick<Clock, 'monotonicMs'>): OpenWriters => {
  // Separate limits: a writer on a hung drive must not hide the other writers for long.
  const calls = new DriveCalls({ timeoutMs: WRITER_TIMEOUT_MS })
  const opened = cached(clock, () => listOpenWriters(clock, calls))
  // Reading all mappings costs several times as much as reading all descriptors, and few recorders map their file. So
  // it runs only for a file that no descriptor writes, when that file may be finished.
  const mapped = cached(clock, createMappingList(WRITER_TIMEOUT_MS))
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
