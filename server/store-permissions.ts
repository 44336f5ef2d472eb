import { constants, type Stats } from 'node:fs'
import { chmod, lstat, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

export const folderMode = 0o700
export const fileMode = 0o600
export const partsFolder = 'parts'
export const lockNameOf = (database: string) => `${database}.lock`

const databaseFilesOf = (database: string) => [
  ...['', '-wal', '-shm', '-journal'].map((suffix) => `${database}${suffix}`),
  lockNameOf(database),
]

type Owner = { readonly uid: number; readonly gid: number }

/**
 * Only the server's account may read the database, because the database contains secrets. Create the file before
 * SQLite opens the database: SQLite gives its other files, such as `-wal`, the same permissions. On Windows, the
 * permissions of the user's folder apply.
 */
export async function createPrivateFile(path: string, owner: Owner | null = null): Promise<void> {
  const handle = await open(path, 'wx', fileMode).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') return null
    throw error
  })
  if (handle === null) {
    if (owner !== null) await giveUnfinished(path, owner)
    return
  }
  try {
    if (owner !== null) await handle.chown(owner.uid, owner.gid)
  } catch (error) {
    // Do not leave behind a file that root owns: the server's account could not open it.
    await rm(path, { force: true })
    throw error
  } finally {
    await handle.close()
  }
}

/**
 * Makes `owner` the owner of an empty file that a killed process of root left behind. Any other file keeps its owner,
 * because it could be a link to a file of root.
 */
async function giveUnfinished(path: string, owner: Owner): Promise<void> {
  const isUnfinished = (stats: Stats) =>
    stats.isFile() && stats.uid === 0 && stats.nlink === 1 && stats.size === 0
  // Do not open a file that this process may have locked: closing it would free the lock.
  if (owner.uid === 0 || !isUnfinished(await lstat(path))) return
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    if (isUnfinished(await handle.stat())) await handle.chown(owner.uid, owner.gid)
  } finally {
    await handle.close()
  }
}

/**
 * Corrects permissions that are too wide. Call it only for a folder that is known to be a data folder of the server.
 */
export async function makeStorePrivate(folder: string, database: string): Promise<void> {
  if (await isForeignToRoot(folder)) return
  const databaseFiles = databaseFilesOf(database)
  const ownNames = new Set([...databaseFiles, partsFolder])
  const names = await readdir(folder)
  // Do not restrict a folder with files of other programs, such as `/tmp`.
  if (names.every((name) => ownNames.has(name))) await chmodIfWider(folder, folderMode)
  for (const name of names) {
    if (databaseFiles.includes(name)) await chmodIfWider(join(folder, name), fileMode)
  }
}

export async function makePartsPrivate(dataFolder: string, names: readonly string[]): Promise<void> {
  if (await isForeignToRoot(dataFolder)) return
  const folder = join(dataFolder, partsFolder)
  await chmodIfWider(folder, folderMode)
  for (const name of names) await chmodIfWider(join(folder, name), fileMode)
}

/**
 * True if this process runs as root, but the data folder belongs to a different account. Do not change permissions
 * then, because that account could have replaced files with links. `fchmod` does not help: it needs an open file, and
 * closing the file frees the locks that SQLite has on it.
 */
export async function isForeignToRoot(folder: string): Promise<boolean> {
  return process.getuid?.() === 0 && (await stat(folder)).uid !== 0
}

/** Checks first, because `chmod` fails on a file of a different account, even if nothing has to change. */
async function chmodIfWider(path: string, mode: number): Promise<void> {
  if (process.platform === 'win32') return
  if (((await stat(path)).mode & 0o777 & ~mode) !== 0) await chmod(path, mode)
}
