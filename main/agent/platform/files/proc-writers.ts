import { type BigIntStats, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../../ports/clock.ts'
import { listLoopFiles, parseRingFiles, RING_TARGET } from './descriptorless-writers.ts'
import { type DriveCalls, DriveTimeoutError } from './drive-calls.ts'
import { maxUnread, type UnreadProcesses, unreadBy, unreadIn } from './unread-processes.ts'

export type OpenFile = {
  /** The path as the writer sees it. */
  readonly path: string
  readonly device: string
  readonly sizeBytes: number
  readonly writtenAtMs: number
}

/** Each regular file that is open for writing, by `device:inode`. */
export type WriterSnapshot = ReadonlyMap<string, OpenFile>

type WriterPass = {
  readonly writers: WriterSnapshot
  /**
   * Files that a process holds without a descriptor, by `device:inode`. The process may write these files or only read
   * them.
   */
  readonly held: ReadonlySet<string>
  readonly unread: UnreadProcesses
}

/** How long a pass may block the event loop at a time. */
const sliceMs = 4
/** Sockets and pipes have no path, and /proc and /sys contain no recordings. But /dev/shm may contain recordings. */
const notRecordings = /^(?!\/)|^\/(proc|sys)\//
/** Linux appends this mark to the former path of a deleted file. Several deleted files can have the same path. */
const deletedMark = ' (deleted)'

/**
 * Checks every descriptor of every other process that this user may see. The kernel answers reads of /proc from memory.
 * So Sluice reads synchronously in short slices, which is ten times cheaper than the thread pool. Only the `stat` of
 * the file behind a descriptor is asynchronous, because that file may be on a hung share.
 */
export const listOpenWriters = async (
  clock: Pick<Clock, 'monotonicMs'>,
  calls: DriveCalls,
): Promise<WriterPass> => {
  const writers = new Map<string, OpenFile>()
  const held = new Set<string>()
  /** Targets that are not regular files, by mount and path, so that Sluice checks /dev/null only once. */
  const notFiles = new Set<string>()
  const pids = processIds()
  let unread = unreadIn(pids)
  const statAt = (drive: string | null, path: string, pid: string | null) =>
    calls
      .run(drive, () => stat(path, { bigint: true }))
      .catch((error: unknown) => {
        if (error instanceof DriveTimeoutError) unread = 'any'
        else if (pid !== null) unread = maxUnread(unread, unreadBy(error, pid))
        return null
      })
  const addWriter = (path: string, stats: BigIntStats): void => {
    writers.set(keyOf(stats), {
      path,
      device: String(stats.dev),
      sizeBytes: Number(stats.size),
      writtenAtMs: Number(stats.mtimeMs),
    })
  }
  // For `calls`, the file of each loop device is a separate drive. So if the file is on a hung drive, `calls` limits
  // the threads that wait for it.
  for (const file of listLoopFiles()) {
    const stats = await statAt(file, file, null)
    if (stats !== null) addWriter(file, stats)
  }
  let sliceEndsMs = clock.monotonicMs() + sliceMs
  for (const pid of pids) {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) continue
    // One descriptor per path is enough, but only within a process: for a different process, the same path may lead to
    // a different file.
    const targets = new Set<string>()
    const descriptors = descriptorsOf(pid)
    unread = maxUnread(unread, descriptors.unread)
    for (const descriptor of descriptors.names) {
      if (clock.monotonicMs() >= sliceEndsMs) {
        await setImmediate()
        sliceEndsMs = clock.monotonicMs() + sliceMs
      }
      const link = `/proc/${pid}/fd/${descriptor}`
      let target: string | null = null
      try {
        target = writtenTarget(link)
      } catch (error) {
        // Linux may list the descriptors of a process with capabilities, but hide which files they belong to.
        unread = maxUnread(unread, unreadBy(error, pid))
      }
      if (target === RING_TARGET) {
        for (const file of parseRingFiles(fdinfoOf(pid, descriptor))) {
          const stats = await statAt(file, file, null)
          if (stats !== null) held.add(keyOf(stats))
        }
      }
      if (target === null || notRecordings.test(target) || targets.has(target)) continue
      const isDeleted = target.endsWith(deletedMark)
      if (!isDeleted) targets.add(target)
      const mount = mountOf(pid, descriptor)
      if (notFiles.has(`${mount} ${target}`)) continue
      const stats = await statAt(mount, link, pid)
      if (stats === null) continue
      if (!stats.isFile()) {
        if (mount !== null && !isDeleted) notFiles.add(`${mount} ${target}`)
        continue
      }
      addWriter(target, stats)
    }
  }
  return { writers, held, unread }
}

const keyOf = ({ dev, ino }: BigIntStats): string => `${dev}:${ino}`

const fdinfoOf = (pid: string, descriptor: string): string => {
  try {
    return readFileSync(`/proc/${pid}/fdinfo/${descriptor}`, 'utf8')
  } catch {
    return ''
  }
}

/** The mount number of the file. */
const mountOf = (pid: string, descriptor: string): string | null =>
  /^mnt_id:\s*(\d+)/m.exec(fdinfoOf(pid, descriptor))?.[1] ?? null

/** The target of the link; null if it is not open for writing. The mode of the link shows this: `l-wx` or `lrwx`. */
const writtenTarget = (link: string): string | null =>
  ((lstatSync(link, { throwIfNoEntry: false })?.mode ?? 0) & 0o200) === 0 ? null : readlinkSync(link)

/** The process may end before the read, and the system may refuse to list its descriptors. */
const descriptorsOf = (
  pid: string,
): { readonly names: readonly string[]; readonly unread: UnreadProcesses } => {
  try {
    return { names: readdirSync(`/proc/${pid}/fd`), unread: 'none' }
  } catch (error) {
    return { names: [], unread: unreadBy(error, pid) }
  }
}

const processIds = (): readonly string[] => {
  try {
    return readdirSync('/proc')
  } catch {
    return []
  }
}

/** Whether this user may see the open files of every process on this PC. */
export const seesAllWriters = (): boolean => {
  const pids = processIds()
  const isRefused = (pid: string) => /^\d+$/.test(pid) && descriptorsOf(pid).unread !== 'none'
  return unreadIn(pids) === 'none' && !pids.some(isRefused)
}
