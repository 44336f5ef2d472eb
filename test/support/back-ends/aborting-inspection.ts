import { systemClock } from '../../../server/clock.ts'
import { openDataFolder } from '../../../server/data-folder.ts'
import { systemRandom } from '../../../server/ids.ts'
import { Processor } from '../../../server/processing/processor.ts'
import { PartFiles } from '../../../server/storage/part-files.ts'
import { openPostgresStore } from '../../../server/store/postgres/postgres-store.ts'
import { createSqliteStore } from '../../../server/store/sqlite/sqlite-store.ts'

/**
 * An instance whose inspections abort the whole process. After two aborts, the next instance processes the session
 * without an inspection, and exits with 0.
 */
const [folder = '', database] = process.argv.slice(2)
const store =
  database === undefined
    ? createSqliteStore((await openDataFolder(folder, 'server')).db)
    : await openPostgresStore({ url: database })
const processor = new Processor({
  store,
  bytes: await PartFiles.open(folder, systemRandom, null),
  clock: systemClock,
  log: () => {},
  inspectFile: () => process.abort(),
  // biome-ignore lint/correctness/useYield: there is no event to store
  *onFinished() {
    return false
  },
  afterFinished: () => void processor.stop().then(() => store.close()),
})
processor.wake()
