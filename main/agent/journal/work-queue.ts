import type { Database, Statement } from 'better-sqlite3'
import type { RecordingState } from '../../../shared/status/status.ts'
import type { FileIdentity } from '../domain/file-identity.ts'
import { fileNeededStates, liveStates } from '../domain/states.ts'
import { type Recording, toRecording, toRecordings } from './row.ts'
import { placeholders, readTransaction, Statements } from './statements.ts'

/** Only the columns that the settle stage needs, because tens of thousands of files may grow at the same time. */
export type GrowingFile = {
  readonly id: number
  readonly path: string
  readonly folder: string
  readonly identity: FileIdentity
  readonly attempts: number
  readonly nextAttemptAtMs: number
  readonly problemCode: string | null
  readonly isDismissed: boolean
  readonly take: string | null
}

/**
 * From this size on, queries use the index of large files (`recordings_large`). The migration that creates this index
 * has the same limit.
 */
const LARGE_BYTES = 4 * 1024 ** 3
/** From this size on, queries use the index without small files (`domain/upload-lane.ts`). */
const NOT_SMALL_BYTES = 1024 ** 2

/** The minimum time between two checks of a stage. */
export const MIN_CHECK_INTERVAL_MS = 10

export type SizeRange = { readonly fromBytes: number; readonly belowBytes: number }

const ANY_SIZE: SizeRange = { fromBytes: 0, belowBytes: Number.MAX_SAFE_INTEGER }

/** Writes the numbers into the SQL text. With parameters, SQLite would not use a partial index. */
const sizeSql = ({ fromBytes, belowBytes }: SizeRange): string =>
  `AND bytes >= ${fromBytes} AND bytes < ${belowBytes}`

/** Selects files to hash within a range of sizes: all except these ids, or only these ids. */
export type HashShare = SizeRange & { readonly among: 'all-but' | 'only'; readonly ids: readonly number[] }

/** The ids are one JSON parameter, so one statement serves any number of ids. */
const shareSql = (share: Pick<HashShare, 'among'> & SizeRange): string =>
  `${sizeSql(share)} AND id ${share.among === 'only' ? 'IN' : 'NOT IN'} (SELECT value FROM json_each(?))`

const queueIndexOf = ({ fromBytes }: SizeRange): string =>
  fromBytes >= NOT_SMALL_BYTES ? 'recordings_by_turn_not_small' : 'recordings_by_turn'

/** The upper limit of rows in one query, so that SQLite never sorts too many rows. */
const MAX_ROWS = 512

type QueueStatements = {
  /** Recordings without a wait, in queue order. */
  readonly withoutWait: Statement
  /** Whether the wait of any recording in this state is over. If not, the slower `afterWait` need not run. */
  readonly hasAfterWait: Statement
  /** Recordings whose wait is over, in queue order. */
  readonly afterWait: Statement
}

/** Stops reading after `limit` rows. With `LIMIT ?`, SQLite would plan the query again each time. */
const readFirst = (rows: Statement, limit: number, ...values: readonly unknown[]): Recording[] => {
  const recordings: Recording[] = []
  for (const row of rows.iterate(...values)) {
    recordings.push(toRecording(row))
    if (recordings.length === limit) break
  }
  return recordings
}

/** The order of every queue index: prioritised first, then oldest first. */
const byQueueOrder = (a: Recording, b: Recording): number =>
  Number(b.prioritised) - Number(a.prioritised) || a.foundAtMs - b.foundAtMs || a.id - b.id

/** Finds the rows that a stage may take, and when to check again. */
export class WorkQueue {
  readonly #db: Database
  readonly #statements: Statements
  readonly #queueStatements = new Map<string, QueueStatements>()
  readonly #now: () => number

  constructor(db: Database, now: () => number) {
    this.#db = db
    this.#statements = new Statements(db)
    this.#now = now
  }

  inState(states: readonly RecordingState[]): Recording[] {
    return this.#all(
      `SELECT * FROM recordings WHERE state IN (${placeholders(states)}) ORDER BY prioritised DESC, found_at, id`,
      ...states,
    )
  }

  /** The next files to hash among those that `share` selects: prioritised first, then oldest first. */
  toHash(share: HashShare, atMs: number, limit: number): Recording[] {
    // `only` reads a few rows by primary key. `all-but` reads the index of large files or, for other sizes, an index in
    // queue order.
    if (share.among === 'all-but' && share.fromBytes < LARGE_BYTES)
      return this.#next('queued', atMs, limit, share, share.ids)
    const from = share.among === 'only' ? 'recordings' : 'recordings INDEXED BY recordings_large'
    return this.#dueIn(from, 'queued', atMs, limit, share)
  }

  #dueIn(from: string, state: RecordingState, atMs: number, limit: number, share: HashShare): Recording[] {
    return this.#all(
      `SELECT * FROM ${from}
       WHERE state = ? AND paused = 0 AND next_attempt_at <= ? ${shareSql(share)}
       ORDER BY prioritised DESC, found_at, id LIMIT ${Math.min(limit, MAX_ROWS)}`,
      state,
      atMs,
      JSON.stringify(share.ids),
    )
  }

  /** Whether a large file is ready to be hashed and only waits for a thread. */
  hasLargeFileQueued(): boolean {
    const large = { fromBytes: LARGE_BYTES, belowBytes: Number.MAX_SAFE_INTEGER } as const
    return this.toHash({ ...large, among: 'all-but', ids: [] }, this.#now(), 1).length > 0
  }

  hashingOf(share: HashShare): Recording[] {
    return this.#all(
      `SELECT * FROM recordings WHERE state = 'hashing' ${shareSql(share)}`,
      JSON.stringify(share.ids),
    )
  }

  /**
   * Growing files of at least this size, most recently changed first. The plus sign keeps SQLite from using the index
   * of change times, in which it might read a million rows.
   */
  growingFrom(fromBytes: number, limit: number): Recording[] {
    return this.#all(
      `SELECT * FROM recordings
       WHERE state = 'growing' AND current = 1 AND paused = 0 AND bytes >= ?
       ORDER BY +changed_at DESC LIMIT ?`,
      fromBytes,
      limit,
    )
  }

  growing(): GrowingFile[] {
    const rows = this.#statements
      .of(
        `SELECT id, path, folder, attempts, next_attempt_at AS nextAttemptAtMs, problem_code AS problemCode,
                ends_by AS endsBy, take, file_device AS device, file_inode AS inode, bytes AS sizeBytes, mtime_ns AS mtimeNs,
                ctime_ns AS ctimeNs
         FROM recordings WHERE state = 'growing' AND current = 1`,
      )
      .all() as (FileIdentity &
      Omit<GrowingFile, 'identity' | 'isDismissed'> & { readonly endsBy: string | null })[]
    return rows.map(
      ({ id, path: file, folder, attempts, nextAttemptAtMs, problemCode, endsBy, take, ...identity }) => ({
        id,
        path: file,
        folder,
        identity,
        attempts,
        nextAttemptAtMs,
        problemCode,
        isDismissed: endsBy === 'dismissed',
        take,
      }),
    )
  }

  /**
   * The next rows that a stage may take: prioritised first, then oldest first. If `onlyIds` is null, every recording
   * counts.
   */
  due(
    state: RecordingState,
    atMs: number,
    limit: number,
    exceptIds: readonly number[] = [],
    sizes: SizeRange = ANY_SIZE,
    onlyIds: readonly number[] | null = null,
  ): Recording[] {
    if (onlyIds === null) return this.#next(state, atMs, limit, sizes, exceptIds)
    if (limit <= 0) return []
    const ids = onlyIds.filter((id) => !exceptIds.includes(id))
    return this.#dueIn('recordings', state, atMs, limit, { ...sizes, among: 'only', ids })
  }

  /**
   * How long a stage may sleep if nothing wakes it: until the next wait ends, at most `maxMs`. Ignores waits that were
   * over at `checkedAtMs`, because the stage has already fetched those rows.
   */
  nextCheckMs(state: RecordingState, checkedAtMs: number, maxMs: number): number {
    const row = this.#statements
      .of(
        `SELECT MIN(next_attempt_at) AS at FROM recordings INDEXED BY recordings_waiting
         WHERE state = ? AND paused = 0 AND next_attempt_at > 0 AND next_attempt_at > ?`,
      )
      .get(state, checkedAtMs) as { at: number | null }
    return row.at === null ? maxMs : Math.min(maxMs, Math.max(row.at - this.#now(), MIN_CHECK_INTERVAL_MS))
  }

  /**
   * Reads rows without a wait from one index, and rows whose wait is over from a second index. So SQLite never reads
   * rows that still wait.
   */
  #next(
    state: RecordingState,
    atMs: number,
    limit: number,
    sizes: SizeRange,
    exceptIds: readonly number[],
  ): Recording[] {
    if (limit <= 0) return []
    const maxRows = Math.min(limit, MAX_ROWS)
    const { withoutWait, hasAfterWait, afterWait } = this.#queueStatementsOf(sizes)
    const ids = JSON.stringify(exceptIds)
    return readTransaction(this.#db, () => {
      const firstRow = withoutWait.get(state, ids)
      const rowsWithoutWait =
        firstRow === undefined
          ? []
          : maxRows === 1
            ? [toRecording(firstRow)]
            : readFirst(withoutWait, maxRows, state, ids)
      if (hasAfterWait.get(state, atMs) === undefined) return rowsWithoutWait
      return [...rowsWithoutWait, ...readFirst(afterWait, maxRows, state, atMs, ids)]
        .sort(byQueueOrder)
        .slice(0, maxRows)
    })
  }

  #queueStatementsOf(sizes: SizeRange): QueueStatements {
    const key = `${sizes.fromBytes} ${sizes.belowBytes}`
    const cached = this.#queueStatements.get(key)
    if (cached !== undefined) return cached
    const order = `${shareSql({ ...sizes, among: 'all-but' })} ORDER BY prioritised DESC, found_at, id`
    const waiting = `recordings INDEXED BY recordings_waiting
      WHERE state = ? AND paused = 0 AND next_attempt_at > 0 AND next_attempt_at <= ?`
    const statements = {
      withoutWait: this.#statements.of(
        `SELECT * FROM recordings INDEXED BY ${queueIndexOf(sizes)}
         WHERE state = ? AND paused = 0 AND (next_attempt_at > 0) = 0 ${order}`,
      ),
      hasAfterWait: this.#statements.of(`SELECT 1 FROM ${waiting} LIMIT 1`),
      afterWait: this.#statements.of(`SELECT * FROM ${waiting} ${order} LIMIT ${MAX_ROWS}`),
    }
    this.#queueStatements.set(key, statements)
    return statements
  }

  /**
   * Counts the open sessions that occupy an upload slot. Paused, held and waiting recordings do not count, so that they
   * block no other recording.
   */
  countOpen(atMs: number, sizes: SizeRange = ANY_SIZE, onlyIds: readonly number[] | null = null): number {
    const onlySql = onlyIds === null ? '' : 'AND id IN (SELECT value FROM json_each(?))'
    const row = this.#statements
      .of(
        `SELECT COUNT(*) AS n FROM recordings INDEXED BY ${queueIndexOf(sizes)}
         WHERE state = 'uploading' AND paused = 0 AND COALESCE(ends_by, 'time') = 'time' ${sizeSql(sizes)}
           AND NOT (next_attempt_at > ? AND COALESCE(problem_code, 'file-busy') = 'file-busy') ${onlySql}`,
      )
      .get(atMs, ...(onlyIds === null ? [] : [JSON.stringify(onlyIds)])) as { n: number }
    return row.n
  }

  /**
   * The number of these recordings that still wait for their upload or are being uploaded. Does not count failed or
   * gone recordings.
   */
  countUnsent(ids: readonly number[]): number {
    if (ids.length === 0) return 0
    return this.#statements
      .of(
        `SELECT COUNT(*) FROM recordings
         WHERE id IN (SELECT value FROM json_each(?)) AND +state IN ('growing', 'queued', 'hashing', 'ready', 'uploading')`,
      )
      .pluck()
      .get(JSON.stringify(ids)) as number
  }

  /** Which of these recordings are still in this state and not paused. */
  idsIn(state: RecordingState, ids: readonly number[]): ReadonlySet<number> {
    if (ids.length === 0) return new Set()
    const foundIds = this.#statements
      .of(
        `SELECT id FROM recordings
         WHERE id IN (SELECT value FROM json_each(?)) AND +state = ? AND paused = 0`,
      )
      .pluck()
      .all(JSON.stringify(ids), state) as number[]
    return new Set(foundIds)
  }

  /** Whether any recording that is not paused is in this state, due or not. */
  has(state: RecordingState): boolean {
    return (
      this.#statements.of('SELECT 1 FROM recordings WHERE state = ? AND paused = 0 LIMIT 1').get(state) !==
      undefined
    )
  }

  /** Recordings outside these folders that still need their file. */
  needingFileOutside(folderKeys: readonly string[]): Recording[] {
    return this.#all(
      `SELECT * FROM recordings WHERE state IN (${placeholders(fileNeededStates)}) AND current = 1
         AND folder_key NOT IN (SELECT value FROM json_each(?)) ORDER BY id`,
      ...fileNeededStates,
      JSON.stringify(folderKeys),
    )
  }

  /**
   * Recordings outside these folders that have sent no byte and have no session. Excludes recordings whose session
   * request got no answer, because the session may exist. Also excludes recordings that are being hashed.
   */
  unsentOutside(folderKeys: readonly string[]): Recording[] {
    return this.#all(
      `SELECT * FROM recordings WHERE state IN ('growing', 'queued', 'ready')
         AND create_key IS NULL AND session_id IS NULL AND NOT (look_first AND create_key_at IS NOT NULL)
         AND folder_key NOT IN (SELECT value FROM json_each(?)) ORDER BY id`,
      JSON.stringify(folderKeys),
    )
  }

  /** Recordings whose folder was removed from the settings and is now one of these folders. */
  ofReturnedFolders(folderKeys: readonly string[]): Recording[] {
    return this.#all(
      `SELECT * FROM recordings WHERE problem_code = 'folder-removed'
         AND folder_key IN (SELECT value FROM json_each(?)) ORDER BY id`,
      JSON.stringify(folderKeys),
    )
  }

  /**
   * Counts unfinished recordings by what they wait for. `processing`: the service. `temporary`: a retry. `attention`: a
   * user, for example to end a pause. `ready`: none of these. Leaves out dismissed recordings and recordings of removed
   * folders.
   */
  countUnfinished(): Readonly<Record<'ready' | 'processing' | 'temporary' | 'attention', number>> {
    const attentionSql = "paused OR (ends_by <> 'time' AND next_attempt_at > @now)"
    const temporarySql = "NOT paused AND COALESCE(ends_by, 'time') = 'time' AND attempts > 0"
    const { live, processing, attention, temporary } = this.#statements
      .of(
        `SELECT COUNT(*) AS live,
                COALESCE(SUM(state = 'processing' AND (${attentionSql}) IS NOT TRUE AND NOT (${temporarySql})), 0) AS processing,
                COALESCE(SUM(${attentionSql}), 0) AS attention,
                COALESCE(SUM(${temporarySql}), 0) AS temporary
         FROM recordings WHERE state IN (${liveStates.map((state) => `'${state}'`).join(', ')})
           AND COALESCE(ends_by, '') NOT IN ('folder', 'dismissed')`,
      )
      .get({ now: this.#now() }) as Readonly<
      Record<'live' | 'processing' | 'attention' | 'temporary', number>
    >
    return { ready: live - processing - attention - temporary, processing, temporary, attention }
  }

  #all(sql: string, ...values: unknown[]): Recording[] {
    return toRecordings(this.#statements.of(sql).all(...values))
  }
}
