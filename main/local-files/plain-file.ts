import {
  closeSync,
  constants,
  fchownSync,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  rmSync,
  type Stats,
  writeSync,
} from 'node:fs'
import path from 'node:path'

/**
 * The only way to open files whose place another user may have prepared. Refuses planted links and does not block on
 * named pipes. Windows has neither flag.
 */
const { O_RDONLY, O_WRONLY, O_RDWR, O_CREAT, O_EXCL, O_APPEND, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants

const OWNER_ONLY = 0o600

/** Follows links, because an administrator may keep a file elsewhere. Never blocks on a named pipe. */
export const READ_ANY = O_RDONLY | O_NONBLOCK

/** Reads and overwrites; refuses a link. */
export const CHANGE = O_RDWR | O_NOFOLLOW | O_NONBLOCK

export class TooLargeError extends Error {}

/** A folder, a pipe, a device or a link. */
export class NotAFileError extends Error {
  readonly code = 'EISDIR'
}

const statRegular = (handle: number): Stats => {
  const stats = fstatSync(handle)
  if (!stats.isFile()) throw new NotAFileError('it is no file')
  return stats
}

/** Throws the system's error, a NotAFileError or a TooLargeError. The stats are those of the file that was read. */
export const readFromHandle = (
  handle: number,
  maxBytes: number,
): { readonly bytes: Buffer; readonly stats: Stats } => {
  const stats = statRegular(handle)
  if (stats.size > maxBytes) throw new TooLargeError()
  // The file may have grown since the check: reading one extra byte reveals that.
  const buffer = Buffer.alloc(Math.min(maxBytes, Math.max(stats.size, 4_096)) + 1)
  let length = 0
  for (let read = -1; read !== 0 && length < buffer.length; length += read)
    read = readSync(handle, buffer, length, buffer.length - length, null)
  if (length > maxBytes) throw new TooLargeError()
  return { bytes: buffer.subarray(0, length), stats }
}

export const readPlainFile = (
  file: string,
  maxBytes: number,
): { readonly bytes: Buffer; readonly stats: Stats } => {
  const handle = openSync(file, READ_ANY)
  try {
    return readFromHandle(handle, maxBytes)
  } finally {
    closeSync(handle)
  }
}

/** A file that root creates in the folder of a service's user belongs to that user, who must read it. */
const giveToFolderOwner = (handle: number, file: string): void => {
  if (process.geteuid?.() !== 0) return
  const { uid, gid } = lstatSync(path.dirname(file))
  if (uid !== 0) fchownSync(handle, uid, gid)
}

const openRegular = (file: string, flags: number): number => {
  const handle = openSync(file, flags, OWNER_ONLY)
  try {
    statRegular(handle)
    return handle
  } catch (error) {
    closeSync(handle)
    throw error
  }
}

const createRegular = (file: string, flags: number): number => {
  const handle = openRegular(file, flags | O_CREAT | O_EXCL | O_NOFOLLOW)
  try {
    giveToFolderOwner(handle, file)
    return handle
  } catch (error) {
    closeSync(handle)
    throw error
  }
}

/**
 * Creates a new file that only its owner may read, and replaces an existing one. Replaces a link, not its target.
 */
export const createPlainFile = (file: string): number => {
  rmSync(file, { force: true })
  return createRegular(file, O_WRONLY)
}

/** Opens a file for appending; creates it if it is missing. */
export const appendToPlainFile = (file: string): number => {
  const flags = O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK
  try {
    return openRegular(file, flags)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  try {
    return createRegular(file, O_WRONLY | O_APPEND)
  } catch (error) {
    // Another process created it first.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return openRegular(file, flags)
  }
}

export const writeAll = (handle: number, bytes: Uint8Array): void => {
  for (let written = 0; written < bytes.length; ) written += writeSync(handle, bytes, written)
}

/** Writes a small file that only matters because it exists. */
export const writeMark = (file: string, text: string): void => {
  const handle = createPlainFile(file)
  try {
    writeAll(handle, Buffer.from(text))
  } finally {
    closeSync(handle)
  }
}

/**
 * Whether this is a link that neither root nor this user created. Links of root lead where an administrator wants.
 */
export const isForeignLink = (file: string): boolean => {
  const stats = lstatSync(file, { throwIfNoEntry: false })
  return stats?.isSymbolicLink() === true && stats.uid !== 0 && stats.uid !== process.geteuid?.()
}

/** For files that a library opens itself. Throws a sentence. */
export const refuseLink = (file: string): void => {
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true)
    throw new NotAFileError(`${file} is a link, so it is not used. Remove it.`)
}
