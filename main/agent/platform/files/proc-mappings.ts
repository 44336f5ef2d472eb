import { readdir, readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import type { FileIdentity } from '../../domain/file-identity.ts'
import { majorMinorOf } from './device-number.ts'
import { maxUnread, type UnreadProcesses, unreadBy, unreadIn } from './unread-processes.ts'

/**
 * Hard case: A recorder maps its file, closes it and keeps writing.
 * On Linux, `/proc/PID/maps` shows shared mappings. Sluice reads them only for a file that no process has open for
 * writing. A process can make a read-only mapping writable later, so every shared mapping delays a removal.
 */

/**
 * A file that another process has mapped as shared. Through a writable mapping, that process can write without a
 * descriptor.
 */
export type MappedFile = {
  readonly isWritable: boolean
  /** Major and minor number of the file system. They may differ from the numbers that `stat` shows. */
  readonly device: { readonly major: bigint; readonly minor: bigint }
  readonly inode: string
  /** The path as the process sees it. */
  readonly path: string
  readonly isDeleted: boolean
}

type Inode = Pick<FileIdentity, 'device' | 'inode'>
type Stat = (path: string) => Promise<{ readonly dev: bigint; readonly ino: bigint }>

const sharedMap = /^\S+ .(.).s \S+ ([0-9a-f]+):([0-9a-f]+) ([1-9]\d*) +(\/.*)$/gm
const deletedMark = ' (deleted)'
/** Paths in `maps` that belong to memory, not to a file. */
const memoryPaths = /^\/(proc|sys)\/|^\/(memfd:|SYSV|anon_hugepage)/

/** Parses the text of one `/proc/PID/maps`. */
export const parseMappings = (text: string): readonly MappedFile[] => {
  const found: MappedFile[] = []
  for (const [, write, major, minor, inode = '', shownTarget = ''] of text.matchAll(sharedMap)) {
    if (memoryPaths.test(shownTarget)) continue
    const isDeleted = shownTarget.endsWith(deletedMark)
    found.push({
      isWritable: write === 'w',
      device: { major: BigInt(`0x${major}`), minor: BigInt(`0x${minor}`) },
      inode,
      path: (isDeleted ? shownTarget.slice(0, -deletedMark.length) : shownTarget).replaceAll('\\012', '\n'),
      isDeleted,
    })
  }
  return found
}

/**
 * Whether one of the mappings belongs to this file. For a btrfs subvolume or an overlay, `maps` and `stat` show
 * different device numbers, so Sluice calls `stat` on the mapped path. If that fails, a mapping with the same inode
 * counts as this file. A wrong match only causes a delay, but if Sluice misses a recorder, it uploads or removes an
 * unfinished file. Unreadable paths below /dev do not count, because containers share memory there.
 */
export const isMapped = async (
  mappings: readonly MappedFile[],
  path: string,
  { device, inode }: Inode,
  stat: Stat,
): Promise<boolean> => {
  const fileDevice = majorMinorOf(device)
  const name = basename(path)
  for (const mapping of mappings) {
    const isSameInode = mapping.inode === inode
    const isSameDevice =
      mapping.device.major === fileDevice.major && mapping.device.minor === fileDevice.minor
    if (isSameInode && isSameDevice) return true
    const isOtherDrive = !isSameDevice && mapping.device.major !== 0n && fileDevice.major !== 0n
    if (isOtherDrive || mapping.isDeleted || !(isSameInode || basename(mapping.path) === name)) continue
    const stats = await stat(mapping.path).catch(() => null)
    const isLikely = isSameInode && !/^\/dev\//.test(mapping.path)
    if (stats === null ? isLikely : String(stats.dev) === device && String(stats.ino) === inode) return true
  }
  return false
}

/** Reading the mappings of a process that waits for a hung share can block, and each blocked read holds a thread. */
const maxBlockedReads = 4

type MappingPass = { readonly mapped: readonly MappedFile[]; readonly unread: UnreadProcesses }
type Maps = { readonly text: string; readonly unread: UnreadProcesses }

/**
 * Lists the mappings of every other process that this user may see. Reads on the thread pool, because a read can block.
 */
export const createMappingList = (timeoutMs: number): (() => Promise<MappingPass>) => {
  const blockedPids = new Set<string>()

  const readMaps = (pid: string): Promise<Maps> =>
    new Promise((resolve) => {
      const timer = setTimeout(() => {
        blockedPids.add(pid)
        resolve({ text: '', unread: 'any' })
      }, timeoutMs)
      const finish = (maps: Maps) => {
        clearTimeout(timer)
        blockedPids.delete(pid)
        resolve(maps)
      }
      readFile(`/proc/${pid}/maps`, 'utf8').then(
        (text) => finish({ text, unread: 'none' }),
        // The process has ended, the system hides its mappings, or the read failed. `unreadBy` tells these cases apart.
        (error: unknown) => finish({ text: '', unread: unreadBy(error, pid) }),
      )
    })

  return async () => {
    const found: MappedFile[] = []
    const pids = await readdir('/proc').catch((): string[] => [])
    let unread = unreadIn(pids)
    for (const pid of pids) {
      if (!/^\d+$/.test(pid) || Number(pid) === process.pid) continue
      const isSkipped = blockedPids.has(pid) || blockedPids.size >= maxBlockedReads
      const maps: Maps = isSkipped ? { text: '', unread: 'any' } : await readMaps(pid)
      unread = maxUnread(unread, maps.unread)
      found.push(...parseMappings(maps.text))
    }
    return { mapped: found, unread }
  }
}
