import { chmod, open, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

export const folderMode = 0o700
export const fileMode = 0o600
const databaseFiles = ['sandbox.db', 'sandbox.db-wal', 'sandbox.db-shm', 'sandbox.db-journal']
export const partsFolder = 'parts'
const ownNames = new Set([...databaseFiles, partsFolder])

/**
 * Only for this user: keys, signing secret and recordings lie here. SQLite gives its other files the rights of the
 * database, so it has to be there first with the right ones. Windows goes by the rights of the user's own folder.
 */
export async function makeDatabasePrivate(folder: string): Promise<void> {
  const database = join(folder, 'sandbox.db')
  const made = await open(database, 'wx', fileMode).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') return null
    throw error
  })
  await made?.close()
}

/** What an earlier version, or a person, left open to others. After the folder is known to be a sandbox's. */
export async function makeStorePrivate(folder: string): Promise<void> {
  const names = await readdir(folder)
  // A folder that holds other things as well is somebody else's to close, /tmp for one.
  if (names.every((name) => ownNames.has(name))) await chmodIfWider(folder, folderMode)
  for (const name of names) {
    if (databaseFiles.includes(name)) await chmodIfWider(join(folder, name), fileMode)
  }
}

export async function makePartsPrivate(folder: string, names: readonly string[]): Promise<void> {
  await chmodIfWider(folder, folderMode)
  for (const name of names) await chmodIfWider(join(folder, name), fileMode)
}

/** Looks first: a folder on a disk that knows no rights, or of another owner, need not refuse what is right already. */
async function chmodIfWider(path: string, mode: number): Promise<void> {
  if (process.platform === 'win32') return
  if (((await stat(path)).mode & 0o777 & ~mode) !== 0) await chmod(path, mode)
}
