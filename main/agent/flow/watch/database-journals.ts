import type { Journal } from '../../journal/journal.ts'

/**
 * Hard case: A recorder writes a SQLite database.
 * SQLite writes a journal beside the database, and removes it when the recorder closes the database. Programs that only read
 * the database create one too. After a crash, the journal holds the last messages, so Sluice uploads it.
 */

/** `run_0.db3` for `run_0.db3-wal`; null if the path is not that of a journal. Any other file may end with `-journal`. */
export const databaseOf = (path: string): string | null =>
  /^(.+\.(?:db|db3|sqlite|sqlite3))-(?:journal|wal|shm)$/i.exec(path)?.[1] ?? null

/**
 * Whether the path is the journal of a database that its recorder still writes. Such a journal is no recording. After a
 * crash, the journal still exists when the settler reports the database as cut off or settles it. Then it becomes one.
 */
export const isJournalInUse = (
  path: string,
  present: ReadonlySet<string>,
  { recordings }: Pick<Journal, 'recordings'>,
): boolean => {
  const database = databaseOf(path)
  if (database === null || !present.has(database)) return false
  const recording = recordings.currentByPath(database)
  return recording === null || (recording.state === 'growing' && recording.problem === null)
}
