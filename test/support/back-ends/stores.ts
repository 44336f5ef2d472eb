import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { beforeAll, onTestFinished } from 'vitest'
import { openDataFolder } from '../../../server/data-folder.ts'
import { openPostgresStore } from '../../../server/store/postgres/postgres-store.ts'
import { createSqliteStore } from '../../../server/store/sqlite/sqlite-store.ts'
import type { Store } from '../../../server/store/store.ts'
import { needs } from '../needs.ts'
import { type Postgres, postgresql, startPostgres } from './postgres.ts'

/** Both stores, for `describe.each`. Starts PostgreSQL for the tests of the file, if it is installed. */
export const openBothStores = () => {
  let postgres: Postgres | null = null
  beforeAll(async () => {
    if (postgresql() !== null) return
    postgres = await startPostgres()
    return () => postgres?.stop()
  })
  const engines = [
    ['SQLite', openOnSqlite, {}],
    ['PostgreSQL', () => openOnPostgres(postgres!.url), needs(postgresql)],
  ] as const
  return { engines, postgres: () => postgres! }
}

/** An empty store that is closed after the test. */
export const openOnSqlite = async (): Promise<Store> => {
  const root = await mkdtemp(path.join(tmpdir(), 'server-store-'))
  const folder = await openDataFolder(root, 'server')
  const store = createSqliteStore(folder.db)
  onTestFinished(async () => {
    await store.close()
    await folder.close()
    await rm(root, { recursive: true })
  })
  return store
}

/** A store that is closed after the test. Tests with the same database share its content. */
export const openOnPostgres = async (url: string): Promise<Store> => {
  const store = await openPostgresStore({ url })
  onTestFinished(() => store.close())
  return store
}
