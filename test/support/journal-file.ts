import path from 'node:path'
import Database from 'better-sqlite3'
import { clearInUseMarker } from '../../main/agent/journal/journal-markers.ts'
import { until } from './station.ts'

/** Reads the journal file itself, independently of the agent. */
export const readJournal = <T>(data: string, sql: string, ...values: unknown[]): T[] => {
  const db = new Database(path.join(data, 'journal.db'), { readonly: true, timeout: 5_000 })
  try {
    return db.prepare(sql).all(...values) as T[]
  } finally {
    db.close()
  }
}

/** Changes the journal to a state that a test cannot produce otherwise. Call it only while no agent runs. */
export const editJournal = (data: string, sql: string, ...values: unknown[]): void => {
  const db = new Database(path.join(data, 'journal.db'), { timeout: 5_000 })
  try {
    db.prepare(sql).run(...values)
  } finally {
    db.close()
    // Closing the database removed the WAL. A start that finds the in-use marker without a WAL assumes lost commits. So
    // this function removes the marker, as Sluice does when it closes the journal.
    clearInUseMarker(data)
  }
}

/**
 * Makes `total` - 1 copies of the recording with the ID `sourceId`, each with its own name and time. `columnSql` gives
 * an SQL expression for some columns of the copies. Call it only while no agent runs.
 */
export const copyRecording = (
  data: string,
  total: number,
  columnSql: Readonly<Record<string, string>> = {},
  sourceId = 1,
): void => {
  const columns = readJournal<{ name: string }>(data, 'PRAGMA table_info(recordings)').map(({ name }) => name)
  const copiedValue = (name: string): string => {
    if (columnSql[name] !== undefined) return columnSql[name]
    switch (name) {
      case 'id':
        return 'NULL'
      case 'path':
      case 'path_key':
      case 'name':
        return `recordings.${name} || '.' || counter.n`
      case 'found_at':
      case 'changed_at':
        return `recordings.${name} - counter.n * 60000`
      default:
        return `recordings.${name}`
    }
  }
  editJournal(
    data,
    `WITH RECURSIVE counter(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counter WHERE n < ?)
     INSERT INTO recordings (${columns.join(', ')})
     SELECT ${columns.map(copiedValue).join(', ')} FROM counter, recordings WHERE recordings.id = ?`,
    total - 1,
    sourceId,
  )
}

/**
 * Waits until the query returns a row. The journal need not exist yet. After a timeout, the error shows the content of
 * the journal.
 */
export const waitForJournal = async <T>(
  data: string,
  what: string,
  sql: string,
  ...values: unknown[]
): Promise<T> => {
  const firstRow = () => {
    try {
      return readJournal<T>(data, sql, ...values)[0]
    } catch {
      return null
    }
  }
  try {
    return await until(what, firstRow)
  } catch (error) {
    const rows = readJournal(
      data,
      'SELECT name, state, paused, attempts, next_attempt_at, problem_code, ends_by FROM recordings LIMIT 20',
    )
    const station = readJournal(data, "SELECT key, value FROM station WHERE key IN ('pause', 'conditions')")
    throw new Error(
      `${(error as Error).message}; the journal contains ${JSON.stringify([...station, ...rows])}`,
    )
  }
}

export const reasonsOf = (data: string, file: string): string[] =>
  readJournal<{ reason: string }>(
    data,
    'SELECT t.reason FROM timeline t JOIN recordings r ON r.id = t.recording_id WHERE r.path = ? ORDER BY t.id',
    file,
  ).map((row) => row.reason)
