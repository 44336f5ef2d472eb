import type { BigIntStats } from 'node:fs'
import { link, lstat, rename, unlink } from 'node:fs/promises'
import { type FileIdentity, sameFile } from '../../domain/file-identity.ts'
import { removalNameFor } from '../../domain/removal-name.ts'
import { RENAME_ATTEMPTS } from '../../domain/retry-limits.ts'
import type { FileOperationResult } from '../../ports/files.ts'
import { DriveTimeoutError } from './drive-calls.ts'
import { describeCode, systemCode } from './file-failure.ts'
import { type HeldFolder, OutsideError } from './held-folder.ts'
import { renameIfFree } from './rename-if-free.ts'
import { identityOf } from './stat-identity.ts'

/**
 * Hard case: The power fails while a file gets a new name.
 * Sluice syncs the folder of the new name before it removes the old name. If the sync fails, Sluice removes the
 * new name instead.
 */

/** A name in a folder that Sluice keeps open. */
export type HeldEntry = { readonly folder: HeldFolder; readonly name: string }

const done = { kind: 'done' } as const
const changed = { kind: 'changed' } as const

export const operationFailure = (error: unknown): Exclude<FileOperationResult, { kind: 'done' }> => {
  if (error instanceof OutsideError) return { kind: 'refused', detail: error.message }
  const code = systemCode(error)
  if (code === null) throw error
  if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'vanished' }
  if (code === 'EEXIST') return { kind: 'taken' }
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG') return { kind: 'full' }
  if (code === 'EXDEV') return { kind: 'other-drive' }
  return { kind: 'refused', detail: describeCode(code) }
}

/** Error codes of a drive or a system that does not let Sluice create a hard link. */
const noLinkCodes: ReadonlySet<string | null> = new Set([
  'EPERM',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
  'EMLINK',
  'EINVAL',
  'EACCES',
  // Windows returns this code for a link on exFAT or FAT.
  'EISDIR',
])

export const statEntry = ({ folder, name }: HeldEntry): Promise<BigIntStats> =>
  folder.run(() => lstat(folder.entry(name), { bigint: true }))

export const unlinkEntry = ({ folder, name }: HeldEntry): Promise<void> =>
  folder.run(() => unlink(folder.entry(name)))

/** A rename overwrites `to`, so the caller must check `to` first. `from` may be a folder. */
export const renameEntry = (from: HeldEntry, to: HeldEntry): Promise<void> =>
  from.folder.runWith(to.folder, () => rename(from.folder.entry(from.name), to.folder.entry(to.name)))

const isSameFile = (a: BigIntStats, b: BigIntStats): boolean =>
  a.ino !== 0n && a.ino === b.ino && a.dev === b.dev && a.isFile() && b.isFile()

const statIfPresent = async (entry: HeldEntry): Promise<BigIntStats | null> => {
  try {
    return await statEntry(entry)
  } catch (error) {
    if (operationFailure(error).kind === 'vanished') return null
    throw error
  }
}

/** Whether the entry is a second name of this file. On drives without links or inodes, a file has only one name. */
const isSecondName = async (entry: HeldEntry, file: BigIntStats): Promise<boolean> => {
  const stats = await statIfPresent(entry)
  return stats !== null && stats.nlink > 1n && isSameFile(stats, file)
}

/**
 * Creates a hard link under the new name and removes the old name. Unlike a rename, a link never overwrites a file that
 * already has the name. If Sluice cannot remove the old name, it tries to remove the new one, so that the file does not
 * keep two names. If `identity` is set, the file must match it.
 */
export const placeEntry = async (
  from: HeldEntry,
  to: HeldEntry,
  identity: FileIdentity | null,
  newKey: () => string,
): Promise<FileOperationResult> => {
  const file = await statEntry(from)
  if (!file.isFile()) return { kind: 'refused', detail: 'it is not a regular file' }
  if (identity !== null && !sameFile(identityOf(file), identity)) return changed
  // Without inodes, Sluice cannot check which file got the new name.
  if (file.ino === 0n) return renameWithoutLink(from, to)
  try {
    await from.folder.runWith(to.folder, () => link(from.folder.entry(from.name), to.folder.entry(to.name)))
  } catch (error) {
    const code = systemCode(error)
    // An earlier call created the link and was interrupted before it removed the old name.
    if (code === 'EEXIST' && (await isSecondName(to, file))) return removeOldName(from, to)
    return noLinkCodes.has(code) ? renameWithoutLink(from, to) : operationFailure(error)
  }
  const placedStats = await statIfPresent(to)
  if (placedStats === null) return changed
  if (!isSameFile(placedStats, file))
    // Another program replaced the file before the link was created, or a recorder gave the new name to another file
    // afterwards.
    return (await removeSecondName(from, to, newKey)) ? changed : { kind: 'taken' }
  const result = await removeOldName(from, to)
  if (result.kind !== 'done')
    await removeSecondName(from, to, newKey).catch((error: unknown) => void operationFailure(error))
  return result
}

/**
 * Removes the new name only if both names still belong to the same file. Otherwise the new name may belong to a file of
 * a recorder, or be the only name that is left. A recorder may even take the new name after this check. So Sluice
 * renames the file to a random name and checks it again before it removes the random name. Returns false if no name
 * was removed.
 */
const removeSecondName = async (from: HeldEntry, to: HeldEntry, newKey: () => string): Promise<boolean> => {
  const file = await statIfPresent(from)
  if (file === null || !(await isSecondName(to, file))) return false
  const hidden: HeldEntry = { folder: to.folder, name: removalNameFor(newKey(), to.name) }
  await renameEntry(to, hidden)
  let isRemoved = false
  try {
    if (await isSecondName(hidden, file)) {
      await unlinkEntry(hidden)
      isRemoved = true
    }
  } finally {
    // If the removal failed, restore the new name. If another file has taken it meanwhile, the random name stays. In a
    // watched folder, a later scan replaces the random name (see `restoreNamesOnScan`).
    if (!isRemoved) await renameWithoutLink(hidden, to)
  }
  return isRemoved
}

/** Syncs the new name first: otherwise a power cut could leave the file without any name. */
const removeOldName = async (from: HeldEntry, to: HeldEntry): Promise<FileOperationResult> => {
  try {
    await to.folder.sync()
    await unlinkEntry(from)
    return done
  } catch (error) {
    if (error instanceof DriveTimeoutError) throw error
    const failure = operationFailure(error)
    return failure.kind === 'vanished' ? done : failure
  }
}

/**
 * Renames the file without a link. Some drives, such as FAT drives and some shares, have no links or inodes, and Linux
 * does not let Sluice link files of other users. `renameIfFree` fails if the new name is taken, or if the system or the
 * drive has no such rename. If it fails although the name is free, Sluice uses a plain rename. That rename may
 * overwrite a file that a recorder creates after the check.
 */
const renameWithoutLink = async (from: HeldEntry, to: HeldEntry): Promise<FileOperationResult> => {
  for (let attempt = 1; attempt <= RENAME_ATTEMPTS; attempt += 1) {
    const isRenamed = await from.folder.runWith(to.folder, () =>
      renameIfFree(from.folder.entry(from.name), to.folder.entry(to.name)),
    )
    if (isRenamed) return done
    if ((await statIfPresent(to)) !== null) return { kind: 'taken' }
  }
  await renameEntry(from, to)
  return done
}
