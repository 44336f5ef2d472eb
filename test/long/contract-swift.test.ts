import { beforeAll, describe } from 'vitest'
import { testRules } from '../contract/bench.ts'
import { launchOn } from '../contract/sandbox-process.ts'
import { postgresql, startPostgres } from '../support/back-ends/postgres.ts'
import type { BackEndAddress } from '../support/back-ends/sandbox-on-back-end.ts'
import { startSwift, swift } from '../support/back-ends/swift.ts'
import { needs } from '../support/needs.ts'

describe('the contract on PostgreSQL and the S3 API of Swift', needs(postgresql, swift), () => {
  let address: BackEndAddress
  beforeAll(async () => {
    const postgres = await startPostgres()
    const storage = await startSwift()
    address = { database: postgres.url, s3: storage.s3 }
    return async () => {
      await storage.stop()
      await postgres.stop()
    }
  })
  testRules({
    launchForRule: (flags) => launchOn(address, {}, ...flags),
    launchProcess: (env, ...flags) => launchOn(address, env, ...flags),
  })
})
