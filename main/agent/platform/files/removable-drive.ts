import { readFile, realpath } from 'node:fs/promises'
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

/**
 * Linux stores the `removable` flag for the whole disk. The folder of a partition is inside the disk's folder. USB
 * disks and SD slots have the flag 0, so their path decides.
 */
export const isRemovableBlock = async (device: bigint, system = '/sys'): Promise<boolean> => {
  try {
    const block = await realpath(path.join(system, 'dev/block', numberOf(device)))
    if (/\/(?:usb|mmc_host\/)\w*\//.test(block)) return true
    const flags = await Promise.all(
      [block, path.dirname(block)].map((folder) =>
        readFile(path.join(folder, 'removable'), 'utf8').catch(() => '0'),
      ),
    )
    return flags.some((flag) => flag.trim() === '1')
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
