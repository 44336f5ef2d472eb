import { readFile, realpath, stat } from 'node:fs/promises'
import path from 'node:path'
import type { Paths } from '../../../../shared/paths/paths.ts'
import { loadNativeCalls } from './windows-native.ts'

/** Results of GetDriveTypeW. */
const REMOVABLE = 2
const FIXED = 3

/**
 * Windows reports cards and sticks as removable, but USB disks as fixed, like built-in disks. So every fixed drive
 * except the system drive counts as removable.
 */
export const isRemovableType = (type: number, drive: string, systemDrive: string): boolean =>
  type === REMOVABLE || (type === FIXED && drive.slice(0, 1).toUpperCase() !== systemDrive.slice(0, 1))

/** The number of a block device, as the names in /sys/dev/block show it: `8:17`. */
const numberOf = (device: bigint): string => {
  const major = ((device >> 8n) & 0xfffn) | ((device >> 32n) & ~0xfffn)
  const minor = (device & 0xffn) | ((device >> 12n) & ~0xffn)
  return `${major}:${minor}`
}

const readIfPresent = async (file: string): Promise<string | null> =>
  (await readFile(file, 'utf8').catch(() => null))?.trim() ?? null

/** The folder in `/sys` that shows the properties of the whole disk. The folder of a partition is inside it. */
const findDisk = async (device: bigint, system: string): Promise<string> => {
  const block = await realpath(path.join(system, 'dev/block', numberOf(device)))
  return (await readIfPresent(path.join(block, 'removable'))) === null ? path.dirname(block) : block
}

/**
 * A disk counts as removable if its path in `/sys` leads through USB or an SD slot, or if Linux sets its `removable`
 * flag. The flag alone is not enough: Linux does not set it for USB disks and SD cards. A soldered memory chip (type
 * MMC) and the system disk never count, because no user unplugs them.
 */
export const isRemovableBlock = async (
  device: bigint,
  system = '/sys',
  rootDevice = async () => (await stat('/', { bigint: true })).dev,
): Promise<boolean> => {
  try {
    const disk = await findDisk(device, system)
    const rootDisk = await rootDevice()
      .then((root) => findDisk(root, system))
      .catch(() => null)
    if (disk === rootDisk || (await readIfPresent(path.join(disk, 'device/type'))) === 'MMC') return false
    return (
      /\/(?:usb|mmc_host\/)\w*\//.test(disk) || (await readIfPresent(path.join(disk, 'removable'))) === '1'
    )
  } catch {
    return false
  }
}

type Drive = { readonly name: string; readonly device: bigint }

/** Creates the check for drives that users unplug. On Windows, the first call loads a native library. */
export const createRemovableCheck = (
  paths: Paths,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): ((drive: Drive) => Promise<boolean>) => {
  if (!paths.rules.hasDrives) return ({ device }) => isRemovableBlock(device)
  const systemDrive = (environment.SystemDrive ?? 'C:').toUpperCase()
  let native: ReturnType<typeof loadNativeCalls> | null = null
  return async ({ name }) => {
    native ??= loadNativeCalls()
    const type = await native.then(({ driveType }) => driveType(name)).catch(() => null)
    return type !== null && isRemovableType(type, name, systemDrive)
  }
}
