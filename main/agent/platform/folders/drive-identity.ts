import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import path from 'node:path'
import { FAT_ROOT_INODE } from '../../domain/same-drive.ts'

/**
 * Hard case: A different drive gets the device number of an unplugged drive.
 * Linux reuses these numbers. So Sluice also stores the drive's UUID, or the inode and birth time of its root folder.
 * If the drive that is connected now has a different UUID, or a different root folder, Sluice takes no file from it.
 */

/** The major number is 0 for network shares, btrfs, container file systems and drives in memory. */
const majorOf = (device: bigint): bigint => (device >> 8n) & 0xfffn
const minorOf = (device: bigint): bigint => (device & 0xffn) | ((device >> 12n) & 0xfff00n)
const nameOf = (device: bigint): string => `${majorOf(device)}:${minorOf(device)}`

type SystemPlaces = { readonly uuids: string; readonly udev: string; readonly mounts: string }

const systemPlaces: SystemPlaces = {
  uuids: '/dev/disk/by-uuid',
  // A background service may have a private `/dev` without links to drives, but it sees this folder.
  udev: '/run/udev/data',
  mounts: '/proc/self/mountinfo',
}

/**
 * Identifies the drive of a folder more reliably than its device number does. Undefined if the drive has no lasting
 * identity, for example if its major number is 0 (see `majorOf`). Always undefined on systems other than Linux.
 */
export const readDriveIdentity = async (
  folder: string,
  device: bigint,
  places: SystemPlaces = systemPlaces,
): Promise<string | undefined> => {
  if (process.platform !== 'linux' || majorOf(device) === 0n) return undefined
  const uuid = (await readUuid(device, places)) ?? (await findUuid(device, places))
  return uuid === undefined ? rootIdentity(folder, device, places) : `uuid:${uuid}`
}

const readUuid = async (device: bigint, { udev }: SystemPlaces): Promise<string | undefined> => {
  const text = await readFile(path.join(udev, `b${nameOf(device)}`), 'utf8').catch(() => '')
  return /^E:ID_FS_UUID=(.+)$/m.exec(text)?.[1]
}

const findUuid = async (device: bigint, { uuids }: SystemPlaces): Promise<string | undefined> => {
  for (const uuid of await readdir(uuids).catch(() => [])) {
    const stats = await stat(path.join(uuids, uuid), { bigint: true }).catch(() => null)
    if (stats?.rdev === device) return uuid
  }
  return undefined
}

/**
 * The inode and birth time of the drive's root folder. Undefined for a bind mount of another folder, and if these two
 * do not identify the drive.
 */
const rootIdentity = async (
  folder: string,
  device: bigint,
  { mounts }: SystemPlaces,
): Promise<string | undefined> => {
  let root = await realpath(folder)
  for (;;) {
    const parent = path.dirname(root)
    const stats = await stat(parent, { bigint: true }).catch(() => null)
    if (stats === null) return undefined
    // The root folder of the system is its own parent.
    if (stats.dev !== device || stats.ino === (await stat(root, { bigint: true })).ino) break
    root = parent
  }
  const lines = (await readFile(mounts, 'utf8').catch(() => '')).split('\n').map((line) => line.split(' '))
  const isWholeDrive = lines.some(
    ([, , name, top, point]) =>
      name === nameOf(device) && top === '/' && decodeMountPoint(point ?? '') === root,
  )
  const { ino, birthtimeNs } = await stat(root, { bigint: true })
  return !isWholeDrive || String(ino) === FAT_ROOT_INODE || birthtimeNs === 0n
    ? undefined
    : `root:${ino}:${birthtimeNs}`
}

/** Linux writes spaces and line breaks in the list of mounts as octal numbers. */
const decodeMountPoint = (point: string): string =>
  point.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)))
