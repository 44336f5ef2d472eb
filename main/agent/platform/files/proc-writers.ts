import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../../ports/clock.ts'
import type { DriveCalls } from './drive-calls.ts'

export type OpenFile = {
  /** The one its writer knows it by. */
  readonly path: string
  readonly device: string
  readonly sizeBytes: number
  readonly writtenAtMs: number
}

/** Each regular file that is open for writing, by `device:inode`. */
export type WriterSnapshot = ReadonlyMap<string, OpenFile>

/** Longest stretch without giving way to the event loop. */
const sliceMs = 4
/** Not files, or files nobody records to; looking behind some of them has side effects. */
const notRecordings = /^(?!\/)|^\/(dev|proc|sys)\//

/**
 * Looks at every descriptor of every other process that we may see. /proc answers from memory, so the look itself
 * is synchronous (ten times cheaper than asking through the thread pool) but cut in slices; only what lies behind a
 * descriptor, perhaps on a share that hangs, is asked for asynchronously.
 */
export const listOpenWriters = async (
  clock: Pick<Clock, 'monotonicMs'>,
  calls: DriveCalls,
): Promise<WriterSnapshot> => {
  const writers = new Map<string, OpenFile>()
  let sliceEndsMs = clock.monotonicMs() + sliceMs
  for (const pid of listOf('/proc')) {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) continue
    // Many descriptors of one file tell nothing more; in another process the same path may be another file.
    const targets = new Set<string>()
    for (const descriptor of listOf(`/proc/${pid}/fd`)) {
      if (clock.monotonicMs() >= sliceEndsMs) {
        await setImmediate()
        sliceEndsMs = clock.monotonicMs() + sliceMs
      }
      const link = `/proc/${pid}/fd/${descriptor}`
      const target = writtenTarget(link)
      if (target === null || targets.has(target)) continue
      targets.add(target)
      const stats = await calls
        .ask(mountOf(pid, descriptor), () => stat(link, { bigint: true }))
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
  return writers
}

/** As the kernel numbers them, which it tells from memory. */
const mountOf = (pid: string, descriptor: string): string | null => {
  try {
    return /^mnt_id:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/fdinfo/${descriptor}`, 'utf8'))?.[1] ?? null
  } catch {
    return null
  }
}

/** The link's own mode tells how the file was opened: `l-wx` and `lrwx` write. */
const writtenTarget = (link: string): string | null => {
  try {
    if (((lstatSync(link, { throwIfNoEntry: false })?.mode ?? 0) & 0o200) === 0) return null
    const target = readlinkSync(link)
    return notRecordings.test(target) ? null : target
  } catch {
    return null
  }
}

/** Processes end while we look, and other users' are closed to us: both mean "nothing to see". */
const listOf = (path: string): string[] => {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}
