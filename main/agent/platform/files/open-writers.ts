import { stat } from 'node:fs/promises'
import type { Clock, Log } from '../../ports/clock.ts'
import { DriveCalls } from './drive-calls.ts'
import { createMappingList, isMapped } from './proc-mappings.ts'
import { listOpenWriters } from './proc-writers.ts'
import { requestReadLease } from './read-lease.ts'
import { sharePasses } from './shared-pass.ts'
import { isInPidNamespace, maxUnread, unseenWriter } from './unread-processes.ts'
import { createFileUsers } from './windows-file-users.ts'
import { loadNativeCalls } from './windows-native.ts'
import { createWindowsWriters } from './windows-writers.ts'
import type { OpenWriters } from './writers.ts'

/**
 * Hard case: A recorder pauses.
 * The file looks finished, but the recorder still has it open. Linux (`/proc`) and Windows (the Restart Manager) list
 * the processes that have the file open. Sluice trusts the Restart Manager only if it reports a test file that Sluice
 * has open. If the system cannot list these processes, Sluice waits three times the settle time, and compares the first
 * and last bytes.
 */

const writerTimeoutMs = 4000

export const createOpenWriters = (
  clock: Pick<Clock, 'monotonicMs'>,
  log: Pick<Log, 'info' | 'warn'>,
  /** In a container: whether all recorders run in the same container. */
  recordersInContainer: boolean,
): OpenWriters => {
  switch (process.platform) {
    case 'linux':
      return createProcWriters(clock, !recordersInContainer && isInPidNamespace())
    case 'win32':
      // Load only on Windows: the other systems do not have these libraries.
      return createWindowsWriters({
        load: async () => createFileUsers(await loadNativeCalls()),
        log,
      })
    default:
      return { writerOf: async () => 'unseen', list: null }
  }
}

const createProcWriters = (
  clock: Pick<Clock, 'monotonicMs'>,
  mayHaveOutsideWriters: boolean,
): OpenWriters => {
  // A separate instance with a short timeout: a file on a hung drive must delay the list of writers only briefly.
  const calls = new DriveCalls({ timeoutMs: writerTimeoutMs })
  const listOpen = sharePasses(clock, () => listOpenWriters(clock, calls))
  // Reading all mappings is expensive, and few recorders map their file. So this runs only for a file that no process
  // has open for writing.
  const listMapped = sharePasses(clock, createMappingList(writerTimeoutMs))
  const statMapped = (path: string) => calls.run(null, () => stat(path, { bigint: true }))
  return {
    writerOf: async (path, identity, check) => {
      const isForRemoval = typeof check === 'string'
      const unchangedSinceMs = typeof check === 'object' ? check.unchangedSinceMs : undefined
      const notBeforeMs = check === 'at-removal' ? Number.POSITIVE_INFINITY : unchangedSinceMs
      const open = await listOpen(notBeforeMs)
      const key = `${identity.device}:${identity.inode}`
      if (open.writers.has(key) || (isForRemoval && open.held.has(key))) return 'open'
      const maps = await listMapped(notBeforeMs)
      const relevantMaps = isForRemoval ? maps.mapped : maps.mapped.filter(({ isWritable }) => isWritable)
      if (await isMapped(relevantMaps, path, identity, statMapped)) return 'open'
      // Request a lease only on a drive that stores owners. Any other drive may be a share, which may refuse a lease
      // although no process writes the file.
      if (isForRemoval && identity.ownerUid !== undefined) {
        const verdict = await calls.run(null, () => requestReadLease(path, identity)).catch(() => 'unknown')
        if (verdict !== 'unknown') return verdict === 'writer' ? 'open' : 'none'
      }
      const unread = mayHaveOutsideWriters ? 'any' : maxUnread(open.unread, maps.unread)
      return unseenWriter(unread, identity.ownerUid)
    },
    list: async () => (await listOpen()).writers,
  }
}
