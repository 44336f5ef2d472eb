import { readdir, readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import type { FileIdentity } from '../../domain/file-identity.ts'
import { majorMinorOf } from './device-number.ts'
import { moreUnread, type Unread, unreadBy, unreadIn } from './unread-processes.ts'

/** A file that another process has mapped shared and writable, so that it can write without a descriptor. */
export type MappedFile = {
  /** Major and minor number of the file system, which can differ from `st_dev`. */
  readonly device: { readonly major: bigint; readonly minor: bigint }
  readonly inode: string
  /** As the other process sees it. */
  readonly path: string
  readonly isDeleted: boolean
}

type Inode = Pick<FileIdentity, 'device' | 'inode'>
type Stat = (path: string) => Promise<{ readonly dev: bigint; readonly ino: bigint }>

const writableShared = /^\S+ .w.s \S+ ([0-9a-f]+):([0-9a-f]+) ([1-9]\d*) +(\/.*)$/gm
const deletedMark = ' (deleted)'
/** Memory that looks like a file. */
const memory = /^\/(dev|proc|sys)\/|^\/(memfd:|SYSV|anon_hugepage)/

/** Parses one `/proc/PID/maps`. */
export const readMappings = (text: string): readonly MappedFile[] => {
  const found: MappedFile[] = []
  for (const [, major, minor, inode = '', shown = ''] of text.matchAll(writableShared)) {
    if (memory.test(shown)) continue
    const isDeleted = shown.endsWith(deletedMark)
    found.push({
      device: { major: BigInt(`0x${major}`), minor: BigInt(`0x${minor}`) },
      inode,
      path: (isDeleted ? shown.slice(0, -deletedMark.length) : shown).replaceAll('\\012', '\n'),
      isDeleted,
    })
  }
  return found
}

/**
 * Whether one of the mappings is of this file. `maps` shows the number of the file system, while `stat` shows that of a
 * btrfs subvolume or an overlay. So different numbers prove nothing unless both belong to block devices; otherwise the
 * mapped path decides. A path that cannot be read, such as one inside a container, counts as this file: waiting for a
 * stranger only delays an upload, but missing the recorder truncates a recording.
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
    const isLikely = isSameInode && !one.path.startsWith('/dev/')
    if (facts === null ? isLikely : String(facts.dev) === device && String(facts.ino) === inode) return true
  }
  return false
}

/**
 * Reading the mappings of a process that waits for a hung share can block, and each blocked read holds a thread.
 */
const MAX_BLOCKED_READS = 4

/**
 * Lists the mappings of every other process that this user may see. Reads asynchronously, because a read can block.
 */
export const createMappingList = (timeoutMs: number): (() => Promise<readonly MappedFile[]>) => {
  const blocked = new Set<string>()

  const read = (pid: string): Promise<Maps> =>
    new Promise((resolve) => {
      const giveUp = setTimeout(() => {
        blocked.add(pid)
        resolve(null)
      }, timeoutMs)
      // Processes may end during the read, and those of other users are not readable.
      const ended = (text: string | null) => {
        clearTimeout(giveUp)
        blocked.delete(pid)
        resolve(maps)
      }
      readFile(`/proc/${pid}/maps`, 'utf8').then(
        (text) => ended({ text, unread: 'none' }),
        (error: unknown) => ended({ text: '', unread: unreadBy(error) }),
      )
    })

  return async () => {
    const found: MappedFile[] = []
    for (const pid of await readdir('/proc').catch((): string[] => [])) {
      if (!/^\d+$/.test(pid) || Number(pid) === process.pid || blocked.has(pid)) continue
      if (blocked.size >= MAX_BLOCKED_READS) break
      found.push(...readMappings((await read(pid)) ?? ''))
    }
    return { mapped: found, unread }
  }
}
