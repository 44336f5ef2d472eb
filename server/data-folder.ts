import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { StartError } from './start-error.ts'
import { type Db, type OpenProblem, openDatabase } from './store/sqlite/open.ts'
import { folderMode, makeDatabasePrivate, makeStorePrivate } from './store-permissions.ts'

export type FolderKind = 'sandbox' | 'server'

const databaseName = (kind: FolderKind) => `${kind}.db`

export type DataFolder = { readonly path: string; readonly db: Db; close(): Promise<void> }

/** Without a path, creates a temporary folder, which `close` removes. */
export async function openDataFolder(path: string | undefined, kind: FolderKind): Promise<DataFolder> {
  const folder = path ?? (await mkdtemp(join(tmpdir(), `sluice-${kind}-`)))
  const db = await openDatabaseIn(folder, kind)
  return {
    path: folder,
    db,
    close: async () => {
      if (path === undefined) await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

async function openDatabaseIn(folder: string, kind: FolderKind): Promise<Db> {
  const database = databaseName(kind)
  try {
    await makeFolder(resolve(folder))
    await makeDatabasePrivate(folder, database)
    const result = openDatabase(join(folder, database))
    if (result.kind === 'open') {
      await makeStorePrivate(folder, database)
      return result.db
    }
    throw new StartError(sentenceFor(result.kind, folder, kind))
  } catch (error) {
    if (error instanceof StartError) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new StartError(`The data folder ${folder} cannot be used: ${reason}.`)
  }
}

/** Does not use `recursive`: below /proc, where no folder can be created, Node would loop for ever. */
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
    default:
      return problem satisfies never
  }
}
