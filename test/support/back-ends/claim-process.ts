import { openPostgresStore } from '../../../server/store/postgres/postgres-store.ts'

/** Takes a claim, reports this to the parent process, and keeps the claim until the process is killed. */
const [url = '', name = ''] = process.argv.slice(2)
const { claims } = await openPostgresStore({ url })
await claims.take(name)
process.send?.('claimed')
