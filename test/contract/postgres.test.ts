import { beforeAll, describe } from 'vitest'
import { postgresql, startPostgres } from '../support/back-ends/postgres.ts'
import { needs } from '../support/needs.ts'
import { testRules } from './bench.ts'
import { launchOn } from './sandbox-process.ts'

describe('the contract on PostgreSQL', needs(postgresql), () => {
  let database = ''
  beforeAll(async () => {
    const postgres = await startPostgres()
    database = postgres.url
    return () => postgres.stop()
  })
  testRules({
    hosted: (flags) => launchOn({ database }, {}, ...flags),
    process: (env, ...flags) => launchOn({ database }, env, ...flags),
  })
})
