import { closeSync, fstatSync, openSync, readSync, type Stats } from 'node:fs'

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

export class TooLargeError extends Error {}

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

/** Throws the system's error, or that it is larger than such a file ever is. */
export const readWithRights = (file: string, mostBytes: number): OpenedFile => {
  const handle = openSync(file, 'r')
  try {
    const stats = fstatSync(handle)
    if (!stats.isFile()) throw Object.assign(new Error('it is no file'), { code: 'EISDIR' })
    const room = Buffer.alloc(mostBytes + 1)
    let length = 0
    for (let read = -1; read !== 0 && length < room.length; length += read)
      read = readSync(handle, room, length, room.length - length, null)
    if (length > mostBytes) throw new TooLargeError()
    return { bytes: room.subarray(0, length), rights: rightsOf(stats) }
  } finally {
    closeSync(handle)
  }
}
