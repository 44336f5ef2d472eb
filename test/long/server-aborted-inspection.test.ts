import { fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { expect, test } from 'vitest'
import { openDataFolder } from '../../server/data-folder.ts'
import { systemRandom } from '../../server/ids.ts'
import { PartFiles } from '../../server/storage/part-files.ts'
import { orgs } from '../../server/store/orgs.ts'
import { parts } from '../../server/store/parts.ts'
import { openPostgresStore } from '../../server/store/postgres/postgres-store.ts'
import { sessions } from '../../server/store/sessions.ts'
import { createSqliteStore } from '../../server/store/sqlite/sqlite-store.ts'
import type { Store } from '../../server/store/store.ts'
import { makeFolder } from '../integration/server-support.ts'
import { postgresql, startPostgres } from '../support/back-ends/postgres.ts'
import { endWithRunner } from '../support/child-end.ts'
import { needs } from '../support/needs.ts'

const program = path.join(import.meta.dirname, '../support/back-ends/aborting-inspection.ts')

const addCompleteSession = async (store: Store, folder: string): Promise<void> => {
  const files = await PartFiles.open(folder, systemRandom, null)
  const file = files.newName('ses_1', 1)
  await files.put(file, Buffer.from('text'))
  const described = { site: 'hall', device: null, filename: 'a.mcap', notes: null, sha256: '' }
  await store.write(function* () {
    yield* orgs.add('org_1', 'Lab')
    const size = { bytes: 4, part_size: 4, created_at: 1 }
    yield* sessions.insert({ ...described, ...size, id: 'ses_1', org_id: 'org_1' })
    yield* parts.put({ session_id: 'ses_1', number: 1, file, bytes: 4, sha256: '', etag: '' })
    yield* sessions.startProcessing('ses_1', 2)
  })
}

const runInstance = async (...args: string[]) => {
  const child = fork(program, args, { stdio: 'ignore', execArgv: [] })
  endWithRunner(child)
  const [code, signal] = await once(child, 'exit')
  return code ?? signal
}

const runThreeInstances = async (open: () => Promise<Store>, args: readonly [string, ...string[]]) => {
  const store = await open()
  await addCompleteSession(store, args[0])
  await store.close()
  const exits = [await runInstance(...args), await runInstance(...args), await runInstance(...args)]
  expect(exits).toEqual(['SIGABRT', 'SIGABRT', 0])
  const reopened = await open()
  const session = await reopened.read(sessions.get('ses_1'))
  await reopened.close()
  expect(session).toMatchObject({ status: 'processed', channels: '[]' })
  expect(JSON.parse(session!.issues)).toMatchObject([{ code: 'inspection_incomplete', severity: 'warning' }])
}

test('a recording whose inspection crashed two instances is processed without an inspection', async () => {
  const folder = await makeFolder()
  await runThreeInstances(async () => {
    const data = await openDataFolder(folder, 'server')
    const store = createSqliteStore(data.db)
    return {
      ...store,
      async close() {
        await store.close()
        // Releases the folder for the instances.
        await data.close()
      },
    }
  }, [folder])
})

test(
  'on PostgreSQL too, a recording whose inspection crashed two instances is processed without an inspection',
  needs(postgresql),
  async () => {
    const folder = await makeFolder()
    const postgres = await startPostgres()
    try {
      await runThreeInstances(() => openPostgresStore({ url: postgres.url }), [folder, postgres.url])
    } finally {
      await postgres.stop()
    }
  },
)
