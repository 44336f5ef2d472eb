import { createHash, randomUUID } from 'node:crypto'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { runSandbox } from '../../../sandbox/run-sandbox.ts'
import type { BackEnd } from '../../../sandbox/server.ts'
import type { RandomBytes } from '../../../server/ids.ts'
import { PartFiles } from '../../../server/storage/part-files.ts'
import { S3Bytes, type S3Location } from '../../../server/storage/s3-bytes.ts'
import { parts } from '../../../server/store/parts.ts'
import { openPostgresStore } from '../../../server/store/postgres/postgres-store.ts'

/** The back end of a sandbox: PostgreSQL, and S3 if `s3` is set. Each data folder has its own schema and prefix. */
export type BackEndAddress = { readonly database: string; readonly s3?: Omit<S3Location, 'prefix'> }

const address = JSON.parse(process.env.SLUICE_BACK_END ?? '{}') as BackEndAddress

const openBackEnd = async (dataFolder: string | undefined, random: RandomBytes): Promise<BackEnd> => {
  const folderHash = createHash('sha256')
    .update(dataFolder ?? randomUUID())
    .digest('hex')
  const schema = `sandbox_${folderHash.slice(0, 20)}`
  const client = new pg.Client({ connectionString: address.database })
  await client.connect()
  await client.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`)
  await client.end()
  const url = new URL(address.database)
  url.searchParams.set('options', `-c search_path=${schema}`)
  const store = await openPostgresStore({ url: url.href })
  if (address.s3 !== undefined) {
    const bytes = new S3Bytes({ ...address.s3, prefix: `${schema}/` }, random)
    return {
      store,
      bytes,
      async close() {
        bytes.close()
        await store.close()
      },
    }
  }
  const folder = dataFolder ?? (await mkdtemp(join(tmpdir(), 'sluice-sandbox-')))
  const bytes = await PartFiles.open(folder, random, await store.write(() => parts.usage(Date.now())))
  return { store, bytes, close: () => store.close() }
}

await runSandbox(process.argv.slice(2), { openBackEnd, minPrefixHashBytes: 0 })
