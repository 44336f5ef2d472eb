import { stat } from 'node:fs/promises'
import { openDataFolder } from '../data-folder.ts'
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
  /** Throws if the bytes cannot be reached. */
  checkBytes(): Promise<void>
  close(): Promise<void>
}

export function openBackEnd(settings: Settings['backEnd']): Promise<BackEnd> {
  return settings.kind === 'embedded' ? openEmbedded(settings.folder) : openShared(settings)
}

async function openEmbedded(path: string): Promise<BackEnd> {
  const folder = await openDataFolder(path, 'server')
  const store = createSqliteStore(folder.db)
  const bytes = await PartFiles.open(folder.path, systemRandom, await store.read(parts.files()))
  return { store, bytes, directParts: null, checkBytes: async () => {}, close: () => store.close() }
}

async function openShared(settings: Extract<Settings['backEnd'], { kind: 'shared' }>): Promise<BackEnd> {
  const store = await openPostgresStore(settings.database).catch((error: Error) => {
    throw error instanceof StartError
      ? error
      : new StartError(`The database cannot be used: ${error.message}.`)
  })
  if (settings.bytes.kind === 'folder') {
    const { path } = settings.bytes
    const bytes = await PartFiles.open(path, systemRandom, null)
    const checkBytes = async () => void (await stat(path))
    return { store, bytes, directParts: null, checkBytes, close: () => store.close() }
  }
  const bytes = new S3Bytes(settings.bytes.location, systemRandom)
  return {
    store,
    bytes,
    directParts: settings.bytes.direct ? bytes.directParts() : null,
    checkBytes: () => bytes.check(),
    async close() {
      bytes.close()
      await store.close()
    },
  }
}
