import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../../ports/clock.ts'
import { type DriveCalls, DriveSilentError } from './drive-calls.ts'
import { moreUnread, type Unread, unreadBy, unreadIn } from './unread-processes.ts'

export type OpenFile = {
  /** As the writing process sees it. */
  readonly path: string
  readonly device: string
  readonly sizeBytes: number
  readonly writtenAtMs: number
}

/** Each regular file that is open for writing, by `device:inode`. */
export type WriterSnapshot = ReadonlyMap<string, OpenFile>

/** Longest time before yielding to the event loop. */
const SLICE_MS = 4
/** Not files, or files nobody records to. Opening some of them has side effects. */
const notRecordings = /^(?!\/)|^\/(dev|proc|sys)\//

/**
 * Reads every visible descriptor of every other process. /proc answers from memory, so it is read synchronously, in
 * slices: ten times cheaper than through the thread pool. Only the `stat` of the target is asynchronous, because it may
 * lie on a hung share.
 */
export const listOpenWriters = async (
  clock: Pick<Clock, 'monotonicMs'>,
  calls: DriveCalls,
): Promise<WriterPass> => {
  const writers = new Map<string, OpenFile>()
  let sliceEndsMs = clock.monotonicMs() + SLICE_MS
  for (const pid of listOf('/proc')) {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) continue
    // One descriptor per file and process is enough. In another process the same path may be a different file.
    const targets = new Set<string>()
    const descriptors = listOf(`/proc/${pid}/fd`)
    unread = moreUnread(unread, descriptors.unread)
    for (const descriptor of descriptors.names) {
      if (clock.monotonicMs() >= sliceEndsMs) {
        await setImmediate()
        sliceEndsMs = clock.monotonicMs() + SLICE_MS
      }
      const link = `/proc/${pid}/fd/${descriptor}`
      const target = writtenTarget(link)
      if (target === null || targets.has(target)) continue
      const isDeleted = target.endsWith(deletedMark)
      if (!isDeleted) targets.add(target)
      const mount = mountOf(pid, descriptor)
      if (notFiles.has(`${mount} ${target}`)) continue
      const stats = await calls
        .run(mountOf(pid, descriptor), () => stat(link, { bigint: true }))
        .catch(() => null)
      if (!stats?.isFile()) continue
      writers.set(`${stats.dev}:${stats.ino}`, {
        path: target,
        device: String(stats.dev),
        sizeBytes: Number(stats.size),
        writtenAtMs: Number(stats.mtimeMs),
      })
    }
  }
  return { writers, unread }
}

/** The kernel's mount number. Read from memory, so it never blocks. */
const mountOf = (pid: string, descriptor: string): string | null => {
  try {
    return /^mnt_id:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/fdinfo/${descriptor}`, 'utf8'))?.[1] ?? null
  } catch {
    return null
  }
}

/** The mode of the link shows how the file was opened: `l-wx` and `lrwx` can write. */
const writtenTarget = (link: string): string | null => {
  try {
    if (((lstatSync(link, { throwIfNoEntry: false })?.mode ?? 0) & 0o200) === 0) return null
    const target = readlinkSync(link)
    return notRecordings.test(target) ? null : target
  } catch {
    return null
  }
}

/** Empty if the process has ended or belongs to another user. */
const listOf = (path: string): string[] => {
  try {
    return { names: readdirSync(path), unread: 'none' }
  } catch (error) {
    return { names: [], unread: unreadBy(error) }
  }
}

/** Whether this user may see the open files of every process on this PC. */
export const seesAllWriters = (): boolean => {
  const pids = listOf('/proc').names
  const isRefused = (pid: string) => /^\d+$/.test(pid) && listOf(`/proc/${pid}/fd`).unread !== 'none'
  return unreadIn(pids) === 'none' && !pids.some(isRefused)
}
