import type { Journal } from '../../journal/journal.ts'
import type { Files } from '../../ports/files.ts'

/**
 * Hard case: A recorder writes a SQLite database.
 * SQLite writes a journal beside an open database, and removes it when the last program closes the database. While the
 * recorder writes the database, Sluice ignores the journal. After a crash of the recorder, the journal holds the last
 * messages, so Sluice uploads it. Programs that only read the database also create a journal. So Sluice does not report
 * a journal that disappears while its database is still there.
 */

const JOURNAL_OF_KNOWN_EXTENSION = /^(.+\.(?:db|db3|sqlite|sqlite3))-(?:journal|wal|shm)$/i
/**
 * Does not match `-journal`, because other files may have that ending. Also, `findDatabase` checks the header of the
 * database, and SQLite writes the `-journal` before that header.
 */
const JOURNAL_OF_ANY_FILE = /^(.+)-(?:wal|shm)$/
/** The first bytes of every database that has a `-wal` file. */
const SQLITE_HEADER = 'SQLite format 3'

/**
 * Returns `run_0.db3` for `run_0.db3-wal`, and null if the path is not that of a journal. If the database has no known
 * extension, its header decides: `camera-wal` may be a recording if `camera` is not a database.
 */
export const findDatabase = async (path: string, files: Files): Promise<string | null> => {
  const known = JOURNAL_OF_KNOWN_EXTENSION.exec(path)?.[1]
  if (known !== undefined) return known
  const other = JOURNAL_OF_ANY_FILE.exec(path)?.[1]
  if (other === undefined) return null
  const head = await files.readText(other, SQLITE_HEADER.length)
  return head.ok && head.value?.startsWith(SQLITE_HEADER) === true ? other : null
}

type World = { readonly journal: Pick<Journal, 'recordings'>; readonly files: Files }

/**
 * True if the path is the journal of a database that still grows or has no recording. The scan then ignores the
 * journal. Later, the settler settles the database or reports it as cut off. If the journal still exists after that,
 * the recorder has crashed, and the journal becomes a recording.
 */
export const isJournalInUse = async (
  path: string,
  present: ReadonlySet<string>,
  { journal, files }: World,
): Promise<boolean> => {
  const database = await findDatabase(path, files)
  if (database === null || !present.has(database)) return false
  const recording = journal.recordings.currentByPath(database)
  return recording === null || (recording.state === 'growing' && recording.problem === null)
}
