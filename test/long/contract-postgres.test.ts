import { beforeAll, describe } from 'vitest'
import { testRules } from '../contract/bench.ts'
import { launchOn } from '../contract/sandbox-process.ts'
import { postgresql, startPostgres } from '../support/back-ends/postgres.ts'
import { needs } from '../support/needs.ts'

describe('the contract on PostgreSQL', needs(postgresql), () => {
  let database = ''
  beforeAll(async () => {
    const postgres = await startPostgres()
    database = postgres.url
    return () => postgres.stop()
  })
  testRules({
    launchForRule: (flags) => launchOn({ database }, {}, ...flags),
    launchProcess: (env, ...flags) => launchOn({ database }, env, ...flags),
  })
})
