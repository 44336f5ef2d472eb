import { stat } from 'node:fs/promises'
import { openDataFolder, openServerDatabase } from '../data-folder.ts'
import { systemRandom } from '../ids.ts'
import { StartError } from '../start-error.ts'
import type { ByteStore } from '../storage/byte-store.ts'
import type { DirectParts } from '../storage/direct-parts.ts'
import { PartFiles } from '../storage/part-files.ts'
import { S3Bytes } from '../storage/s3-bytes.ts'
import { parts } from '../store/parts.ts'
import { openPostgresStore } from '../store/postgres/postgres-store.ts'
import { createSqliteStore } from '../store/sqlite/sqlite-store.ts'
import type { Store } from '../store/store.ts'
import type { Settings } from './settings.ts'

export type BackEnd = {
  readonly store: Store
  readonly bytes: ByteStore
  /** Null: all parts pass through the server. */
  readonly directParts: DirectParts | null
  /** Throws if the storage cannot be reached. */
  checkBytes(): Promise<void>
  close(): Promise<void>
}

type BackEndSettings = Settings['backEnd']

/**
 * Opens the store and the bytes. Removes the leftover bytes of an embedded back end, unless `keepsLeftovers` is true.
 * This is safe, because no other process can open the back end at the same time.
 */
export async function openBackEnd(
  settings: BackEndSettings,
  { keepsLeftovers = false }: { readonly keepsLeftovers?: boolean } = {},
): Promise<BackEnd> {
  if (settings.kind === 'embedded') return openEmbedded(settings.folder, keepsLeftovers)
  const store = await openStore(settings)
  try {
    const storage = await openStorage(settings)
    const close = async () => {
      storage.close()
      await store.close()
    }
    return { store, ...storage, close }
  } catch (error) {
    await store.close()
    throw error
  }
}

async function openEmbedded(path: string, keepsLeftovers: boolean): Promise<BackEnd> {
  const folder = await openDataFolder(path, 'server')
  const store = createSqliteStore(folder.db)
  const close = async () => {
    await store.close()
    await folder.close()
  }
  try {
    const usage = await store.write(() => parts.usage(Date.now()))
    const bytes = await PartFiles.open(folder.path, systemRandom, keepsLeftovers ? null : usage)
    return { store, bytes, directParts: null, checkBytes: async () => {}, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Opens only the store. A server may be using it at the same time. */
export async function openStore(settings: BackEndSettings): Promise<Store> {
  if (settings.kind === 'embedded') {
    const { db, close } = await openServerDatabase(settings.folder)
    const store = createSqliteStore(db)
    return {
      ...store,
      async close() {
        await store.close()
        await close()
      },
    }
  }
  return openPostgresStore(settings.database).catch((error: Error) => {
    throw error instanceof StartError
      ? error
      : new StartError(`The database cannot be used: ${error.message}.`)
  })
}

export type Storage = Pick<BackEnd, 'bytes' | 'directParts' | 'checkBytes'> & { close(): void }

/** Opens only the bytes. Removes nothing, because a server may be using them. */
export async function openStorage(settings: BackEndSettings): Promise<Storage> {
  if (settings.kind === 'embedded') return openFolder(settings.folder)
  if (settings.bytes.kind === 'folder') return openFolder(settings.bytes.path)
  const bytes = new S3Bytes(settings.bytes.location, systemRandom)
  return {
    bytes,
    directParts: settings.bytes.direct ? bytes.directParts() : null,
    checkBytes: () => bytes.check(),
    close: () => bytes.close(),
  }
}

async function openFolder(path: string): Promise<Storage> {
  const bytes = await PartFiles.open(path, systemRandom, null)
  return { bytes, directParts: null, checkBytes: async () => void (await stat(path)), close: () => {} }
}
