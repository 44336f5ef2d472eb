import type { Stats } from 'node:fs'
import { readFromHandle, readPlainFile } from '../local-files/plain-file.ts'

/** Content and rights of one and the same file. */
export type OpenedFile = { readonly bytes: Buffer; readonly rights: Rights }

/** Null on Windows, which keeps rights elsewhere: its mode says nothing of them. */
export type Rights = {
  readonly owner: 'root' | 'self' | 'other'
  readonly othersRead: boolean
  readonly othersWrite: boolean
  readonly groupReads: boolean
  readonly groupWrites: boolean
} | null

/**
 * Whether a secret in such a file is for its readers alone. Root may let a group read it: that is how one file, root's
 * own with mode 640, serves root's commands and a service with a user of its own.
 */
export const isSecretOpen = (rights: Rights): boolean =>
  rights !== null && (rights.othersRead || (rights.groupReads && rights.owner !== 'root'))

/** What closes it, for either kind of owner. */
export const closeWords = (file: string): string =>
  `Close it: chmod 600 ${file}, or for a service with its own user: chown root:GROUP ${file} && chmod 640 ${file}`

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

/** Whoever can change a settings file decides where recordings and the key are sent. */
export const whyUntrusted = (file: string, rights: Rights): string | null => {
  if (rights === null) return null
  if (rights.owner === 'other')
    return `${file} belongs to another user, so it is not used. Give it to root: chown root ${file}`
  if (rights.othersWrite || rights.groupWrites)
    return `${file} can be changed by others, so it is not used. Close it: chmod go-w ${file}`
  return null
}

/** Throws the system's error, or that it is no file or larger than such a file ever is. */
export const readWithRights = (file: string, mostBytes: number): OpenedFile => {
  const { bytes, stats } = readPlainFile(file, mostBytes)
  return { bytes, rights: rightsOf(stats) }
}

/** The same of a file that is open. */
export const readHandleWithRights = (handle: number, mostBytes: number): OpenedFile => {
  const { bytes, stats } = readFromHandle(handle, mostBytes)
  return { bytes, rights: rightsOf(stats) }
}
