import type { Stats } from 'node:fs'
import { readFromHandle, readPlainFile } from '../local-files/plain-file.ts'

/** Content and rights of the same file. */
export type OpenedFile = { readonly bytes: Buffer; readonly rights: Rights }

/** Null on Windows, where the file mode says nothing about the rights. */
export type Rights = {
  readonly owner: 'root' | 'self' | 'other'
  readonly othersRead: boolean
  readonly othersWrite: boolean
  readonly groupReads: boolean
  readonly groupWrites: boolean
} | null

/**
 * True if a file with these rights exposes a secret. The group may read a file of root, because with mode 640, both
 * root and a background service with its own user can read it.
 */
export const exposesSecrets = (rights: Rights): boolean =>
  rights !== null && (rights.othersRead || (rights.groupReads && rights.owner !== 'root'))

/** The commands that fix the rights: one for a file of this user, one for a background service with its own user. */
export const restrictAccessWords = (file: string): string =>
  `Restrict access: chmod 600 ${file}, or for a background service with its own user: chown root:GROUP ${file} && chmod 640 ${file}`

export const rightsOf = (
  { uid, mode }: Pick<Stats, 'uid' | 'mode'>,
  platform: NodeJS.Platform = process.platform,
  self: number | undefined = process.geteuid?.(),
): Rights =>
  platform === 'win32'
    ? null
    : {
        owner: uid === 0 ? 'root' : uid === self ? 'self' : 'other',
        othersRead: (mode & 0o004) !== 0,
        othersWrite: (mode & 0o002) !== 0,
        groupReads: (mode & 0o040) !== 0,
        groupWrites: (mode & 0o020) !== 0,
      }

/**
 * Why Sluice must not use a settings file with these rights; null if it may. A user who can change the file decides
 * where recordings and the key are sent.
 */
export const whyUntrusted = (file: string, rights: Rights): string | null => {
  if (rights === null) return null
  if (rights.owner === 'other')
    return `${file} belongs to another user, so it is not used. Give it to root: chown root ${file}`
  if (rights.othersWrite || rights.groupWrites)
    return `${file} can be changed by others, so it is not used. Restrict access: chmod go-w ${file}`
  return null
}

/** Throws the system's error, a NotAFileError or a TooLargeError. */
export const readWithRights = (file: string, maxBytes: number): OpenedFile => {
  const { bytes, stats } = readPlainFile(file, maxBytes)
  return { bytes, rights: rightsOf(stats) }
}

/** Like `readWithRights`, for an open file. */
export const readHandleWithRights = (handle: number, maxBytes: number): OpenedFile => {
  const { bytes, stats } = readFromHandle(handle, maxBytes)
  return { bytes, rights: rightsOf(stats) }
}
