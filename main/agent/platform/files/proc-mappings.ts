import { readdir, readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import type { FileIdentity } from '../../domain/file-identity.ts'
import { majorMinorOf } from './device-number.ts'
import { moreUnread, type Unread, unreadBy, unreadIn } from './unread-processes.ts'

/**
 * Hard case: A recorder maps its file, closes it and keeps writing.
 * On Linux `/proc/PID/maps` shows shared maps. Sluice reads it only for a file that no process has open for writing. A
 * process can make a read-only map writable later, so every shared map delays a removal.
 */

/** A file that another process has mapped shared. If the map is writable, the process can write without a descriptor. */
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
/** Paths of memory that looks like a file. */
const memory = /^\/(proc|sys)\/|^\/(memfd:|SYSV|anon_hugepage)/

/** Parses the text of one `/proc/PID/maps`. */
export const readMappings = (text: string): readonly MappedFile[] => {
  const found: MappedFile[] = []
  for (const [, write, major, minor, inode = '', shown = ''] of text.matchAll(sharedMap)) {
    if (memory.test(shown)) continue
    const isDeleted = shown.endsWith(deletedMark)
    found.push({
      isWritable: write === 'w',
      device: { major: BigInt(`0x${major}`), minor: BigInt(`0x${minor}`) },
      inode,
      path: (isDeleted ? shown.slice(0, -deletedMark.length) : shown).replaceAll('\\012', '\n'),
      isDeleted,
    })
  }
  return found
}

/**
 * Whether one of the mappings belongs to this file. For a btrfs subvolume or an overlay, `maps` and `stat` show
 * different device numbers. If both numbers belong to block devices, different numbers mean different files. Otherwise
 * the mapped path decides. A path that cannot be read, as in a container, counts as this file. A wrong match only
 * delays an upload, but a missed recorder cuts a recording short. Paths below /dev do not count, because containers
 * share memory there.
 */
export const mappedBy = async (
  mapped: readonly MappedFile[],
  path: string,
  { device, inode }: Inode,
  stat: Stat,
): Promise<boolean> => {
  const own = majorMinorOf(device)
  const name = basename(path)
  for (const one of mapped) {
    const isSameInode = one.inode === inode
    const isSameDevice = one.device.major === own.major && one.device.minor === own.minor
    if (isSameInode && isSameDevice) return true
    const isOtherDrive = !isSameDevice && one.device.major !== 0n && own.major !== 0n
    if (isOtherDrive || one.isDeleted || !(isSameInode || basename(one.path) === name)) continue
    const facts = await stat(one.path).catch(() => null)
    const isLikely = isSameInode && !/^\/dev\//.test(one.path)
    if (facts === null ? isLikely : String(facts.dev) === device && String(facts.ino) === inode) return true
  }
  return false
}

/** Reading the mappings of a process that waits for a hung share can block, and each blocked read holds a thread. */
const maxBlockedReads = 4

type MappingPass = { readonly mapped: readonly MappedFile[]; readonly unread: Unread }
type Maps = { readonly text: string; readonly unread: Unread }

/**
 * Lists the mappings of every other process that this user may see. Reads on the thread pool, because a read can block.
 */
export const createMappingList = (timeoutMs: number): (() => Promise<MappingPass>) => {
  const blocked = new Set<string>()

  const read = (pid: string): Promise<Maps> =>
    new Promise((resolve) => {
      const giveUp = setTimeout(() => {
        blocked.add(pid)
        resolve({ text: '', unread: 'any' })
      }, timeoutMs)
      // A read fails if the process ends, or if the system hides the processes of other users.
      const ended = (maps: Maps) => {
        clearTimeout(giveUp)
        blocked.delete(pid)
        resolve(maps)
      }
      readFile(`/proc/${pid}/maps`, 'utf8').then(
        (text) => ended({ text, unread: 'none' }),
        (error: unknown) => ended({ text: '', unread: unreadBy(error, pid) }),
      )
    })

  return async () => {
    const found: MappedFile[] = []
    const pids = await readdir('/proc').catch((): string[] => [])
    let unread = unreadIn(pids)
    for (const pid of pids) {
      if (!/^\d+$/.test(pid) || Number(pid) === process.pid) continue
      const isSkipped = blocked.has(pid) || blocked.size >= maxBlockedReads
      const maps: Maps = isSkipped ? { text: '', unread: 'any' } : await read(pid)
      unread = moreUnread(unread, maps.unread)
      found.push(...readMappings(maps.text))
    }
    return { mapped: found, unread }
  }
}
