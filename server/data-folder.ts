import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { StartError } from './start-error.ts'
import { type Db, type OpenOptions, type OpenProblem, openDatabase } from './store/sqlite/open.ts'
import { isLocked, takeLock } from './store/sqlite/process-lock.ts'
import { createPrivateFile, folderMode, lockNameOf, makeStorePrivate } from './store-permissions.ts'

export type FolderKind = 'sandbox' | 'server'

const databaseName = (kind: FolderKind) => `${kind}.db`

const lockFileOf = (folder: string) => join(folder, lockNameOf(databaseName('server')))

export type DataFolder = {
  readonly path: string
  readonly db: Db
  /** Call it after the database is closed. */
  close(): Promise<void>
}

/**
 * Opens the data folder of a server or a sandbox, and creates it if necessary. Without a path, creates a temporary
 * folder, which `close` removes. Commands can use the database of a running server, but not the database of a running
 * sandbox.
 */
export async function openDataFolder(path: string | undefined, kind: FolderKind): Promise<DataFolder> {
  const folder = path ?? (await mkdtemp(join(tmpdir(), `sluice-${kind}-`)))
  return withSentence(folder, async () => {
    const database = databaseName(kind)
    await makeFolder(resolve(folder))
    await createPrivateFile(join(folder, database))
    const release = kind === 'server' ? await lock(folder) : () => {}
    try {
      const access = kind === 'server' ? 'shared' : 'exclusive'
      const db = open(folder, kind, { access, mayMigrate: true })
      await makeStorePrivate(folder, database)
      const close = async () => {
        release()
        if (path === undefined) await rm(folder, { recursive: true, force: true, maxRetries: 5 })
      }
      return { path: folder, db, close }
    } catch (error) {
      release()
      throw error
    }
  })
}

/** True if the folder has a server's database. */
export function hasServerData(folder: string): boolean {
  return existsSync(join(folder, databaseName('server')))
}

/** The error of a command that finds no database, for example because its user mistyped the name of the folder. */
export function missingData(folder: string): StartError {
  return new StartError(`There is no server's data in ${folder}.`)
}

/** True while a process has locked the folder: a server, or a command that needs the folder for itself. */
export function isServerRunning(folder: string): boolean {
  return isLocked(lockFileOf(folder))
}

/**
 * Opens the database of a server for a command, even while the server runs. Migrates an older database, but only if no
 * server runs.
 */
export async function openServerDatabase(folder: string): Promise<Pick<DataFolder, 'db' | 'close'>> {
  return withSentence(folder, async () => {
    if (!hasServerData(folder)) throw missingData(folder)
    const result = openDatabase(join(folder, databaseName('server')), { access: 'shared', mayMigrate: false })
    if (result.kind === 'open') return { db: result.db, close: async () => {} }
    if (result.kind !== 'older-version') throw new StartError(sentenceFor(result.kind, folder, 'server'))
    if (isServerRunning(folder)) throw new StartError(sentenceFor('older-version', folder, 'server'))
    return openDataFolder(folder, 'server')
  })
}

async function withSentence<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof StartError) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new StartError(`The data folder ${folder} cannot be used: ${reason}.`)
  }
}

async function lock(folder: string): Promise<() => void> {
  const file = lockFileOf(folder)
  // If root runs a command, the lock file gets the owner of the database, so that the server can open it later.
  const owner = process.getuid?.() === 0 ? await stat(join(folder, databaseName('server'))) : null
  await createPrivateFile(file, owner)
  const release = takeLock(file)
  if (release === null) throw new StartError(sentenceFor('in-use', folder, 'server'))
  return release
}

function open(folder: string, kind: FolderKind, options: OpenOptions): Db {
  const result = openDatabase(join(folder, databaseName(kind)), options)
  if (result.kind === 'open') return result.db
  throw new StartError(sentenceFor(result.kind, folder, kind))
}

/** Creates missing parent folders too. With the option `recursive`, `mkdir` would loop for ever below /proc. */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, folderMode)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return
    if (code !== 'ENOENT' || dirname(path) === path) throw error
    await makeFolder(dirname(path))
    await mkdir(path, folderMode)
  }
}

function sentenceFor(problem: OpenProblem, folder: string, kind: FolderKind): string {
  switch (problem) {
    case 'in-use':
      return `The data folder ${folder} is in use by another ${kind}.`
    case 'not-ours':
      return `The data folder ${folder} contains a ${databaseName(kind)} that does not belong to a ${kind}.`
    case 'newer-version':
      return `The data folder ${folder} was written by a newer version of the ${kind}.`
    case 'older-version':
      return `The ${kind} that uses ${folder} has an older version. Restart it, then repeat the command.`
    default:
      return problem satisfies never
  }
}
