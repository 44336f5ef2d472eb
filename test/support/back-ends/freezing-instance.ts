import { writeSync } from 'node:fs'
import { meta } from '../../../server/store/meta.ts'
import { orgs } from '../../../server/store/orgs.ts'
import { openPostgresStore } from '../../../server/store/postgres/postgres-store.ts'

/**
 * This program locks an organisation, prints `locked`, and stops inside the transaction until SIGCONT. Then it prints
 * whether this transaction and a new one succeed.
 */
const [url = '', org = ''] = process.argv.slice(2)
const store = await openPostgresStore({ url })
const print = (line: string) => writeSync(1, `${line}\n`)
const resultOf = (work: Promise<void>) =>
  work.then(
    () => 'succeeds',
    () => 'fails',
  )
const frozen = store.write(function* () {
  yield* orgs.lock(org)
  print('locked')
  process.kill(process.pid, 'SIGSTOP')
  yield* meta.set('frozen', 'yes')
})
print(`the frozen transaction ${await resultOf(frozen)}`)
print(`a new transaction ${await resultOf(store.write(() => meta.set('thawed', 'yes')))}`)
await store.close()
