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
import { withHeldFolder } from './hold-folder.ts'

/**
 * Opens files at paths where another user may have planted something. O_NOFOLLOW refuses a planted link. With
 * O_NONBLOCK, opening a named pipe does not wait for its other end. Windows has neither flag.
 */
const { O_RDONLY, O_WRONLY, O_RDWR, O_CREAT, O_EXCL, O_APPEND, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants

const OWNER_ONLY = 0o600

/** For reading. Follows links, because an administrator may replace a file with a link. */
export const READ_FLAGS = O_RDONLY | O_NONBLOCK

/** For reading and overwriting. Refuses a link. */
export const CHANGE_FLAGS = O_RDWR | O_NOFOLLOW | O_NONBLOCK

export class TooLargeError extends Error {}

/** The path leads to a folder, a pipe, a device or a link. */
export class NotAFileError extends Error {
  readonly code = 'EISDIR'
}

const requireRegularFile = (handle: number): Stats => {
  const stats = fstatSync(handle)
  if (!stats.isFile()) throw new NotAFileError('it is not a file')
  return stats
}

/** Throws the system's error, a NotAFileError or a TooLargeError. Content and `stats` belong to the same file. */
export const readFromHandle = (
  handle: number,
  maxBytes: number,
): { readonly bytes: Buffer; readonly stats: Stats } => {
  const stats = requireRegularFile(handle)
  if (stats.size > maxBytes) throw new TooLargeError()
  let buffer = Buffer.alloc(Math.max(stats.size, 4_096) + 1)
  let length = 0
  for (let bytesRead = -1; bytesRead !== 0; length += bytesRead) {
    // The file may have grown since its size was read.
    if (length > maxBytes) throw new TooLargeError()
    if (length === buffer.length) buffer = Buffer.concat([buffer, Buffer.alloc(buffer.length)])
    bytesRead = readSync(handle, buffer, length, buffer.length - length, null)
  }
  return { bytes: buffer.subarray(0, length), stats }
}

export const readPlainFile = (
  file: string,
  maxBytes: number,
): { readonly bytes: Buffer; readonly stats: Stats } => {
  const handle = openSync(file, READ_FLAGS)
  try {
    return readFromHandle(handle, maxBytes)
  } finally {
    closeSync(handle)
  }
}

const openRegularFile = (file: string, flags: number): number => {
  const handle = openSync(file, flags, OWNER_ONLY)
  try {
    requireRegularFile(handle)
    return handle
  } catch (error) {
    closeSync(handle)
    throw error
  }
}

/** Opens a regular file for reading. Refuses a link. */
export const openPlainFile = (file: string): number =>
  openRegularFile(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)

/**
 * If root creates a file in the folder of a service account, gives the file to this account. Otherwise, the account's
 * agent could not read the file.
 */
const createNewFile = (file: string, flags: number, mustReplace = false): number =>
  withHeldFolder(path.dirname(file), (folder, owner) => {
    const heldFile = path.join(folder, path.basename(file))
    if (mustReplace) rmSync(heldFile, { force: true })
    const handle = openRegularFile(heldFile, flags | O_CREAT | O_EXCL | O_NOFOLLOW)
    try {
      if (owner !== null) fchownSync(handle, owner.uid, owner.gid)
      return handle
    } catch (error) {
      closeSync(handle)
      throw error
    }
  })

/** Replaces whatever is at the path with a new file that only its owner may read. Never writes through a link. */
export const createPlainFile = (file: string): number => createNewFile(file, O_WRONLY, true)

/** Opens a file for appending, and creates it if it is missing. */
export const appendToPlainFile = (file: string): number => {
  const flags = O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK
  try {
    return openRegularFile(file, flags)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  try {
    return createNewFile(file, O_WRONLY | O_APPEND)
  } catch (error) {
    // EEXIST: another process has created the file in the meantime.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return openRegularFile(file, flags)
  }
}

export const writeAll = (handle: number, bytes: Uint8Array): void => {
  for (let writtenBytes = 0; writtenBytes < bytes.length; )
    writtenBytes += writeSync(handle, bytes, writtenBytes)
}

/** Writes a small file that serves as a flag. */
export const writeMark = (file: string, text: string): void => {
  const handle = createPlainFile(file)
  try {
    writeAll(handle, Buffer.from(text))
  } finally {
    closeSync(handle)
  }
}

/** Call this before a library opens a file by its path. Throws an Error for the user if the file is a link. */
export const refuseLink = (file: string): void => {
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true)
    throw new NotAFileError(`${file} is a link, so it is not used. Remove it.`)
}
