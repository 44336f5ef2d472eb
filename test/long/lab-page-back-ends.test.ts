import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { beforeAll, describe } from 'vitest'
import { systemRandom } from '../../server/ids.ts'
import { PartFiles } from '../../server/storage/part-files.ts'
import { S3Bytes } from '../../server/storage/s3-bytes.ts'
import { openPostgresStore } from '../../server/store/postgres/postgres-store.ts'
import { type Postgres, postgresql, startPostgres } from '../support/back-ends/postgres.ts'
import { type Swift, startSwift, swift } from '../support/back-ends/swift.ts'
import { testLabRoutes } from '../support/lab-page/lab-suite.ts'
import { needs } from '../support/needs.ts'

describe('the routes of the page on PostgreSQL and a folder', needs(postgresql), () => {
  let postgres: Postgres
  beforeAll(async () => {
    postgres = await startPostgres()
    return () => postgres.stop()
  })
  testLabRoutes(async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'lab-page-'))
    const store = await openPostgresStore({ url: postgres.url })
    return {
      store,
      bytes: await PartFiles.open(folder, systemRandom, null),
      async close() {
        await store.close()
        await rm(folder, { recursive: true, force: true })
      },
    }
  })
})

describe('the routes of the page on PostgreSQL and the S3 API of Swift', needs(postgresql, swift), () => {
  let postgres: Postgres
  let storage: Swift
  beforeAll(async () => {
    postgres = await startPostgres()
    storage = await startSwift()
    return async () => {
      await storage.stop()
      await postgres.stop()
    }
  })
  testLabRoutes(async () => {
    const store = await openPostgresStore({ url: postgres.url })
    const bytes = new S3Bytes({ ...storage.s3, prefix: 'lab/' }, systemRandom)
    return {
      store,
      bytes,
      async close() {
        bytes.close()
        await store.close()
      },
    }
  })
})
