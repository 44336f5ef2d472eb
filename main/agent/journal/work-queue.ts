import type { Database, Statement } from 'better-sqlite3'
import type { RecordingState } from '../../../shared/status/status.ts'
import type { FileIdentity } from '../domain/file-identity.ts'
import { fileNeededStates, liveStates } from '../domain/states.ts'
import { type Recording, toRecording, toRecordings } from './row.ts'
import { inOneRead, placeholders, Statements } from './statements.ts'

/** Of a growing recording only what settling needs: there may be tens of thousands at once. */
export type GrowingFile = {
  readonly id: number
  readonly path: string
  readonly folder: string
  readonly identity: FileIdentity
  readonly attempts: number
  readonly nextAttemptAtMs: number
  readonly problemCode: string | null
}

/** From here on the index of the large ones serves; its own limit is in the migration. */
const LARGE_BYTES = 4 * 1024 ** 3
/** From here on that of those which are not small (`domain/upload-lane.ts`), so that none of the small ones is looked at. */
const NOT_SMALL_BYTES = 1024 ** 2

/** No wait is meant to be longer than this. */
const LONGEST_WAIT_MS = 25 * 3_600_000

/** Nothing is so urgent that a stage would look twice in less. */
export const SOONEST_LOOK_MS = 10

export type SizeRange = { readonly fromBytes: number; readonly belowBytes: number }

const ANY_SIZE: SizeRange = { fromBytes: 0, belowBytes: Number.MAX_SAFE_INTEGER }

/** As text, not bound: SQLite uses the index of the large ones only where it reads the number. */
const within = ({ fromBytes, belowBytes }: SizeRange): string =>
  `AND bytes >= ${fromBytes} AND bytes < ${belowBytes}`

/** Which queued files are meant: all but these, or these alone. */
export type HashShare = SizeRange & { readonly among: 'all-but' | 'only'; readonly ids: readonly number[] }

/** As JSON, so that one statement serves any number of them. */
const shareSql = (share: Pick<HashShare, 'among'> & SizeRange): string =>
  `${within(share)} AND id ${share.among === 'only' ? 'IN' : 'NOT IN'} (SELECT value FROM json_each(?))`

const turnIndexOf = ({ fromBytes }: SizeRange): string =>
  fromBytes >= NOT_SMALL_BYTES ? 'recordings_by_turn_not_small' : 'recordings_by_turn'

/** More are never asked for at once; what SQLite has to sort it keeps no more of. */
const MOST_AT_ONCE = 512

type Turns = {
  /** Those that wait for nothing, in their order. */
  readonly free: Statement
  /** Whether the wait of any of that state is over; mostly it tells that there is nothing to sort. */
  readonly hasWaited: Statement
  /** Those, in their order. */
  readonly waited: Statement
}

/** Only these are read: with a bound `LIMIT` SQLite makes its plan anew each time. */
const firstOf = (rows: Statement, limit: number, ...values: readonly unknown[]): Recording[] => {
  const found: Recording[] = []
  for (const row of rows.iterate(...values)) {
    found.push(toRecording(row))
    if (found.length === limit) break
  }
  return found
}

/** As every index of turns has it: urgent first, then oldest first. */
const byTurn = (a: Recording, b: Recording): number =>
  Number(b.urgent) - Number(a.urgent) || a.foundAtMs - b.foundAtMs || a.id - b.id

/** What there is to do: the rows that a stage may take, and when to look again. */
export class WorkQueue {
  readonly #db: Database
  readonly #statements: Statements
  readonly #turns = new Map<string, Turns>()
  readonly #now: () => number

  constructor(db: Database, now: () => number) {
    this.#db = db
    this.#statements = new Statements(db)
    this.#now = now
  }

  inState(states: readonly RecordingState[]): Recording[] {
    return this.#all(
      `SELECT * FROM recordings WHERE state IN (${placeholders(states)}) ORDER BY urgent DESC, found_at, id`,
      ...states,
    )
  }

  /** The next files of this share to be read at that moment: urgent first, then oldest first. */
  toHash(share: HashShare, atMs: number, limit: number): Recording[] {
    // Few are asked for by name, and found by it; of all the others an index has the next.
    if (share.among === 'all-but' && share.fromBytes < LARGE_BYTES)
      return this.#next('queued', atMs, limit, share, share.ids)
    const from = share.among === 'only' ? 'recordings' : 'recordings INDEXED BY recordings_large'
    return this.#all(
      `SELECT * FROM ${from}
       WHERE state = 'queued' AND paused = 0 AND next_attempt_at <= ? ${shareSql(share)}
       ORDER BY urgent DESC, found_at, id LIMIT ${limit}`,
      atMs,
      JSON.stringify(share.ids),
    )
  }

  /** Whether a large file could be read at once if its threads were free. */
  largeWaits(): boolean {
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
   * Growing files of some size, those first that were last seen to change. Not by the index of when: it would be gone
   * through to its end, a million recordings, where nothing grows.
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
                file_device AS device, file_inode AS inode, bytes AS sizeBytes, mtime_ns AS mtimeNs,
                ctime_ns AS ctimeNs
         FROM recordings WHERE state = 'growing' AND current = 1`,
      )
      .all() as (FileIdentity & Omit<GrowingFile, 'identity'>)[]
    return rows.map(({ id, path: file, folder, attempts, nextAttemptAtMs, problemCode, ...identity }) => ({
      id,
      path: file,
      folder,
      identity,
      attempts,
      nextAttemptAtMs,
      problemCode,
    }))
  }

  /** The next rows a stage may work on at that moment: urgent first, then oldest first. */
  due(
    state: RecordingState,
    atMs: number,
    limit: number,
    except: readonly number[] = [],
    sizes: SizeRange = ANY_SIZE,
  ): Recording[] {
    return this.#next(state, atMs, limit, sizes, except)
  }

  /**
   * In how many milliseconds a stage should look at these again without a hint: at the next one due, or at last.
   * `lookedAtMs`: the moment that it asked for what is due. What became so since is looked at soon; what was due then
   * is in hand, or has no room, and is waited for by nobody here.
   */
  lookAgainMs(state: RecordingState, lookedAtMs: number, atLastMs: number): number {
    const row = this.#statements
      .of(
        `SELECT MIN(next_attempt_at) AS at FROM recordings INDEXED BY recordings_waiting
         WHERE state = ? AND paused = 0 AND next_attempt_at > 0 AND next_attempt_at > ?`,
      )
      .get(state, lookedAtMs) as { at: number | null }
    return row.at === null ? atLastMs : Math.min(atLastMs, Math.max(row.at - this.#now(), SOONEST_LOOK_MS))
  }

  /**
   * Those that wait for nothing come in their order from one index, those whose wait is over from another: however many
   * wait, none of them is read. Nearly always one of the two is empty, and often both.
   */
  #next(
    state: RecordingState,
    atMs: number,
    limit: number,
    sizes: SizeRange,
    except: readonly number[],
  ): Recording[] {
    if (limit <= 0) return []
    const most = Math.min(limit, MOST_AT_ONCE)
    const { free, hasWaited, waited } = this.#turnsOf(sizes)
    const ids = JSON.stringify(except)
    return inOneRead(this.#db, () => {
      const next = free.get(state, ids)
      const first =
        next === undefined ? [] : most === 1 ? [toRecording(next)] : firstOf(free, most, state, ids)
      if (hasWaited.get(state, atMs) === undefined) return first
      return [...first, ...firstOf(waited, most, state, atMs, ids)].sort(byTurn).slice(0, most)
    })
  }

  #turnsOf(sizes: SizeRange): Turns {
    const key = `${sizes.fromBytes} ${sizes.belowBytes}`
    const known = this.#turns.get(key)
    if (known !== undefined) return known
    const order = `${shareSql({ ...sizes, among: 'all-but' })} ORDER BY urgent DESC, found_at, id`
    const waiting = `recordings INDEXED BY recordings_waiting
      WHERE state = ? AND paused = 0 AND next_attempt_at > 0 AND next_attempt_at <= ?`
    const made = {
      free: this.#statements.of(
        `SELECT * FROM recordings INDEXED BY ${turnIndexOf(sizes)}
         WHERE state = ? AND paused = 0 AND (next_attempt_at > 0) = 0 ${order}`,
      ),
      hasWaited: this.#statements.of(`SELECT 1 FROM ${waiting} LIMIT 1`),
      waited: this.#statements.of(`SELECT * FROM ${waiting} ${order} LIMIT ${MOST_AT_ONCE}`),
    }
    this.#turns.set(key, made)
    return made
  }

  /**
   * Sessions that are open and may go on by themselves: what waits for somebody, or at that moment for its file or its
   * drive, holds nobody else up.
   */
  countOpen(atMs: number, sizes: SizeRange = ANY_SIZE): number {
    const row = this.#statements
      .of(
        `SELECT COUNT(*) AS n FROM recordings INDEXED BY ${turnIndexOf(sizes)}
         WHERE state = 'uploading' AND paused = 0 AND COALESCE(ends_by, 'time') = 'time' ${within(sizes)}
           AND NOT (next_attempt_at > ? AND COALESCE(problem_code, 'file-busy') = 'file-busy')`,
      )
      .get(atMs) as { n: number }
    return row.n
  }

  /** The clock was set back: what was to wait for a while does not wait for the difference as well. */
  pullForward(byMs: number): void {
    for (const table of ['recordings', 'discarded_sessions', 'unsettled_creations', 'removals'])
      this.#statements
        .of(`UPDATE ${table} SET next_attempt_at = MAX(0, next_attempt_at - ?) WHERE next_attempt_at > 0`)
        .run(Math.round(byMs))
  }

  /** The same, found at a start: what was last written in a time that is still to come. */
  forgetFutureWaits(): void {
    const now = this.#now()
    this.#statements
      .of('UPDATE recordings SET next_attempt_at = 0 WHERE changed_at > ? AND next_attempt_at > ?')
      .run(now, now)
    for (const table of ['discarded_sessions', 'unsettled_creations', 'removals'])
      this.#statements
        .of(`UPDATE ${table} SET next_attempt_at = 0 WHERE next_attempt_at > ?`)
        .run(now + LONGEST_WAIT_MS)
  }

  /** What waits longer than that in this state does not. */
  lookBy(state: RecordingState, atMs: number): void {
    this.#statements
      .of(
        'UPDATE recordings SET next_attempt_at = ? WHERE state = ? AND ends_by IS NULL AND next_attempt_at > ?',
      )
      .run(Math.round(atMs), state, Math.round(atMs))
  }

  /** Which of these may still be worked on in this state. */
  areIn(state: RecordingState, ids: readonly number[]): ReadonlySet<number> {
    if (ids.length === 0) return new Set()
    const found = this.#statements
      .of(
        `SELECT id FROM recordings
         WHERE id IN (SELECT value FROM json_each(?)) AND +state = ? AND paused = 0`,
      )
      .pluck()
      .all(JSON.stringify(ids), state) as number[]
    return new Set(found)
  }

  /** Whether any recording is in this state, due or not. */
  has(state: RecordingState): boolean {
    return (
      this.#statements.of('SELECT 1 FROM recordings WHERE state = ? AND paused = 0 LIMIT 1').get(state) !==
      undefined
    )
  }

  /** Recordings of other folders than these whose file is still needed. */
  needingFileOutside(folderKeys: readonly string[]): Recording[] {
    return this.#all(
      `SELECT * FROM recordings WHERE state IN (${placeholders(fileNeededStates)}) AND current = 1
         AND folder_key NOT IN (SELECT value FROM json_each(?)) ORDER BY id`,
      ...fileNeededStates,
      JSON.stringify(folderKeys),
    )
  }

  /** Recordings of other folders than these of which no byte has been sent and no session may exist. */
  unsentOutside(folderKeys: readonly string[]): Recording[] {
    return this.#all(
      `SELECT * FROM recordings WHERE state IN ('growing', 'queued', 'ready')
         AND create_key IS NULL AND session_id IS NULL
         AND folder_key NOT IN (SELECT value FROM json_each(?)) ORDER BY id`,
      JSON.stringify(folderKeys),
    )
  }

  /** Those that were left because their folder was removed, and whose folder is one of these again. */
  leftIn(folderKeys: readonly string[]): Recording[] {
    return this.#all(
      `SELECT * FROM recordings WHERE problem_code = 'folder-removed'
         AND folder_key IN (SELECT value FROM json_each(?)) ORDER BY id`,
      JSON.stringify(folderKeys),
    )
  }

  /** What is left to do, by what it waits for. What is due is not waited for, whatever held it before. */
  left(): Readonly<Record<'ready' | 'processing' | 'passing' | 'somebody', number>> {
    const waits = "paused OR (ends_by <> 'time' AND next_attempt_at > @now)"
    const passes = "NOT paused AND COALESCE(ends_by, 'time') = 'time' AND attempts > 0"
    const { live, processing, somebody, passing } = this.#statements
      .of(
        `SELECT COUNT(*) AS live,
                COALESCE(SUM(state = 'processing' AND (${waits}) IS NOT TRUE AND NOT (${passes})), 0) AS processing,
                COALESCE(SUM(${waits}), 0) AS somebody,
                COALESCE(SUM(${passes}), 0) AS passing
         FROM recordings WHERE state IN (${liveStates.map((state) => `'${state}'`).join(', ')})
           AND ends_by IS NOT 'folder'`,
      )
      .get({ now: this.#now() }) as Readonly<Record<'live' | 'processing' | 'somebody' | 'passing', number>>
    return { ready: live - processing - somebody - passing, processing, passing, somebody }
  }

  #all(sql: string, ...values: unknown[]): Recording[] {
    return toRecordings(this.#statements.of(sql).all(...values))
  }
}
