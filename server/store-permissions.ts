import { chmod, open, readdir, stat } from 'node:fs/promises'
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
 * The database contains the signing secret, webhook secrets and data about recordings, so only this user may read it. SQLite
 * gives its other files the permissions of the database, so the database must exist first. On Windows, the permissions of
 * the user's folder apply.
 */
export async function createPrivateFile(path: string, owner: Owner | null = null): Promise<void> {
  const handle = await open(path, 'wx', fileMode).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') return null
    throw error
  })
  try {
    // Not for an existing file: the account of the server could have linked it to a file of root.
    if (owner !== null) await handle?.chown(owner.uid, owner.gid)
  } finally {
    await handle?.close()
  }
}

/**
 * Corrects permissions that an older version or an operator left too wide. Call it only for a folder that is known to be
 * ours.
 */
export async function makeStorePrivate(folder: string, database: string): Promise<void> {
  if (await isForeignToRoot(folder)) return
  const databaseFiles = databaseFilesOf(database)
  const ownNames = new Set([...databaseFiles, partsFolder])
  const names = await readdir(folder)
  // Do not restrict a folder with other files in it, such as /tmp.
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
 * Root does not change permissions in a folder of a service account: the account could have replaced files with links. The
 * account's own server protects the files.
 */
async function isForeignToRoot(folder: string): Promise<boolean> {
  return process.getuid?.() === 0 && (await stat(folder)).uid !== 0
}

/** Checks first: chmod fails for a different owner and on a disk without permissions, even if nothing has to change. */
async function chmodIfWider(path: string, mode: number): Promise<void> {
  if (process.platform === 'win32') return
  if (((await stat(path)).mode & 0o777 & ~mode) !== 0) await chmod(path, mode)
}
