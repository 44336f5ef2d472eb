import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { SandboxStartError } from './start-error.ts'
import { type Db, type OpenProblem, openStore } from './store/open.ts'
import { folderMode, makeDatabasePrivate, makeStorePrivate } from './store-permissions.ts'

export type DataFolder = { readonly path: string; readonly db: Db; close(): Promise<void> }

/** Without a path, makes a temporary folder and removes it when the sandbox closes. */
export async function openDataFolder(path: string | undefined): Promise<DataFolder> {
  const folder = path ?? (await mkdtemp(join(tmpdir(), 'sluice-sandbox-')))
  const db = await openIn(folder)
  return {
    path: folder,
    db,
    close: async () => {
      if (path === undefined) await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

async function openIn(folder: string): Promise<Db> {
  try {
    await makeFolder(resolve(folder))
    await makeDatabasePrivate(folder)
    const opened = openStore(folder)
    if (opened.kind === 'open') {
      await makeStorePrivate(folder)
      return opened.db
    }
    throw new SandboxStartError(sentenceFor(opened.kind, folder))
  } catch (error) {
    if (error instanceof SandboxStartError) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new SandboxStartError(`The data folder ${folder} cannot be used: ${reason}.`)
  }
}

/** Not with `recursive`: below /proc, where no folder can be made, Node would loop for ever. */
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

function sentenceFor(problem: OpenProblem, folder: string): string {
  switch (problem) {
    case 'in-use':
      return `The data folder ${folder} is in use by another sandbox.`
    case 'not-a-sandbox-folder':
      return `The data folder ${folder} holds a sandbox.db that is not a sandbox's.`
    case 'newer-version':
      return `The data folder ${folder} was written by a newer version of the sandbox.`
    default:
      return problem satisfies never
  }
}
