import type { BigIntStats } from 'node:fs'
import { link, lstat, open, rename, unlink } from 'node:fs/promises'
import { type FileIdentity, sameFile } from '../../domain/file-identity.ts'
import type { FileActed } from '../../ports/files.ts'
import { DriveTimeoutError } from './drive-calls.ts'
import { describeCode, systemCode } from './file-failure.ts'
import { type HeldFolder, OutsideError } from './held-folder.ts'
import { identityOf } from './stat-identity.ts'

/** A name in a folder that is held open. */
export type Entry = { readonly folder: HeldFolder; readonly name: string }

const done = { kind: 'done' } as const
const changed = { kind: 'changed' } as const

export const actedOf = (error: unknown): Exclude<FileActed, { kind: 'done' }> => {
  if (error instanceof OutsideError) return { kind: 'refused', detail: error.message }
  const code = systemCode(error)
  if (code === null) throw error
  if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'vanished' }
  if (code === 'EEXIST') return { kind: 'taken' }
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG') return { kind: 'full' }
  if (code === 'EXDEV') return { kind: 'other-drive' }
  return { kind: 'refused', detail: describeCode(code) }
}

const noLinks: ReadonlySet<string | null> = new Set([
  'EPERM',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
  'EMLINK',
  'EINVAL',
  'EACCES',
  // Windows reports this on exFAT and FAT.
  'EISDIR',
])

export const statEntry = ({ folder, name }: Entry): Promise<BigIntStats> =>
  folder.run(() => lstat(folder.entry(name), { bigint: true }))

export const unlinkEntry = ({ folder, name }: Entry): Promise<void> =>
  folder.run(() => unlink(folder.entry(name)))

/** Also renames folders. The caller checks first that `to` does not exist. */
export const renameEntry = (from: Entry, to: Entry): Promise<void> =>
  from.folder.run(() => rename(from.folder.entry(from.name), to.folder.entry(to.name)))

const isSameFile = (a: BigIntStats, b: BigIntStats): boolean =>
  a.ino !== 0n && a.ino === b.ino && a.dev === b.dev && a.isFile() && b.isFile()

/** Whether the entry is a second name of this file. Never true on drives without hard links or inodes. */
const isSecondName = async (entry: Entry, file: BigIntStats): Promise<boolean> => {
  try {
    const found = await statEntry(entry)
    return found.nlink > 1n && isSameFile(found, file)
  } catch (error) {
    if (actedOf(error).kind === 'vanished') return false
    throw error
  }
}

/**
 * Moves a file without overwriting: a hard link fails if the name is taken, where a rename would overwrite. Leaves no
 * second name behind: if the old name cannot be removed, the new one is. `identity`: the file must match it, unless
 * null.
 */
export const placeEntry = async (
  from: Entry,
  to: Entry,
  identity: FileIdentity | null,
): Promise<FileActed> => {
  const file = await statEntry(from)
  if (!file.isFile()) return { kind: 'refused', detail: 'it is not a regular file' }
  if (identity !== null && !sameFile(identityOf(file), identity)) return changed
  try {
    await from.folder.run(() => link(from.folder.entry(from.name), to.folder.entry(to.name)))
  } catch (error) {
    const code = systemCode(error)
    // An earlier call made the link and crashed before it removed the old name.
    if (code === 'EEXIST' && (await isSecondName(to, file))) return removeOldName(from)
    return noLinks.has(code) ? renameOntoReserved(from, to) : actedOf(error)
  }
  // Another program can swap the file between the two calls.
  if (!isSameFile(await statEntry(to), file)) {
    await unlinkEntry(to)
    return changed
  }
  const removed = await removeOldName(from)
  // Only if the file still has its old name: a share may remove the name and then lose the answer.
  if (removed.kind !== 'done' && (await isSecondName(from, file)))
    await unlinkEntry(to).catch((error: unknown) => void actedOf(error))
  return removed
}

const removeOldName = async (from: Entry): Promise<FileActed> => {
  try {
    await unlinkEntry(from)
    return done
  } catch (error) {
    if (error instanceof DriveTimeoutError) throw error
    const acted = actedOf(error)
    return acted.kind === 'vanished' ? done : acted
  }
}

/** FAT and some shares have no links. There an empty file reserves the name until the rename. */
const renameOntoReserved = async (from: Entry, to: Entry): Promise<FileActed> => {
  await to.folder.run(async () => (await open(to.folder.entry(to.name), 'wx')).close())
  const isStillEmpty = async () => {
    const reserved = await statEntry(to)
    return reserved.isFile() && reserved.size === 0n
  }
  // A recorder may have opened the reserved file by now.
  if (!(await isStillEmpty())) return { kind: 'taken' }
  try {
    await renameEntry(from, to)
    return done
  } catch (error) {
    const acted = actedOf(error)
    if (await isStillEmpty()) await unlinkEntry(to)
    return acted
  }
}
