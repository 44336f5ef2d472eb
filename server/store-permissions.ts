import { chmod, open, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

export const folderMode = 0o700
export const fileMode = 0o600
export const partsFolder = 'parts'

const filesOf = (database: string) => ['', '-wal', '-shm', '-journal'].map((end) => `${database}${end}`)

/**
 * The database has keys, the signing secret and recordings, so only this user may read it. SQLite copies its permissions to its
 * other files, so it must exist first. Windows uses the permissions of the user's folder.
 */
export async function makeDatabasePrivate(folder: string, database: string): Promise<void> {
  const made = await open(join(folder, database), 'wx', fileMode).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') return null
    throw error
  })
  await made?.close()
}

/** Corrects permissions that an older version or a person left too wide. Only for a folder known to be ours. */
export async function makeStorePrivate(folder: string, database: string): Promise<void> {
  const databaseFiles = filesOf(database)
  const ownNames = new Set([...databaseFiles, partsFolder])
  const names = await readdir(folder)
  // A folder with other files in it, such as /tmp, is not ours to restrict.
  if (names.every((name) => ownNames.has(name))) await chmodIfWider(folder, folderMode)
  for (const name of names) {
    if (databaseFiles.includes(name)) await chmodIfWider(join(folder, name), fileMode)
  }
}

export async function makePartsPrivate(folder: string, names: readonly string[]): Promise<void> {
  await chmodIfWider(folder, folderMode)
  for (const name of names) await chmodIfWider(join(folder, name), fileMode)
}

/** Checks first: chmod fails on a disk without permissions or for another owner, even if nothing has to change. */
async function chmodIfWider(path: string, mode: number): Promise<void> {
  if (process.platform === 'win32') return
  if (((await stat(path)).mode & 0o777 & ~mode) !== 0) await chmod(path, mode)
}
