import type { Database, Statement } from 'better-sqlite3'
import type { Paths } from '../../../shared/paths/paths.ts'
import type { FolderSettings } from '../../../shared/settings/settings.ts'
import type { EndsBy } from '../../../shared/status/problem-terms.ts'
import type { Problem, ProblemCode, RecordingState } from '../../../shared/status/status.ts'
import type { FileIdentity } from '../domain/file-identity.ts'
import {
  fileNeededStates,
  hashedStates,
  isLive,
  liveStates,
  nextState,
  type RecordingEvent,
} from '../domain/states.ts'
import type { ActivityStore } from './activity-store.ts'
import { type Recording, type RecordingPatch, toColumns, toRecording, toRecordings } from './row.ts'
import { atomically, placeholders, prepared, Statements } from './statements.ts'

/** A stage sent an event that its state does not allow. This is always a bug. */
class IllegalTransitionError extends Error {
  constructor(id: number, state: RecordingState, event: string) {
    super(`recording ${id} is ${state}; "${event}" does not belong there`)
  }
}

type Columns = Readonly<Record<string, string | number | null>>

export type TransitionNote = {
  readonly reason: string
  readonly requestId?: string | null
  readonly patch?: RecordingPatch
  /** Writes no timeline line, because the same line is already there and would repeat endlessly. */
  readonly silent?: boolean
}

export type SeenFile = {
  readonly state: RecordingState
  readonly service: string | null
  readonly hasProblem: boolean
  readonly identity: FileIdentity
}

type SeenColumns = readonly [
  index: number,
  state: RecordingState,
  service: string | null,
  hasProblem: number,
  device: string,
  inode: string,
  sizeBytes: number,
  mtimeNs: string,
  ctimeNs: string,
]

/** The columns that decide whether the file of an unfinished recording still exists. */
export type NeededFile = { readonly id: number; readonly path: string; readonly state: RecordingState }

export type StepListener = (
  recordingId: number,
  step: {
    readonly from: RecordingState | null
    readonly to: RecordingState
    /** Why it entered `to`. */
    readonly problem: ProblemCode | null
  },
  reason: string,
  requestId: string | null,
) => void

export class RecordingStore {
  readonly #db: Database
  readonly #now: () => number
  readonly #changed: (id: number | null, state: RecordingState | null) => void
  readonly #statements: Statements
  readonly #updates = new Map<string, Statement>()
  readonly #paths: Paths
  readonly #activity: ActivityStore
  readonly #onStep: StepListener

  constructor(
    db: Database,
    now: () => number,
    changed: (id: number | null, state: RecordingState | null) => void,
    paths: Paths,
    activity: ActivityStore,
    onStep: StepListener,
  ) {
    this.#db = db
    this.#statements = new Statements(db)
    this.#now = now
    this.#changed = changed
    this.#paths = paths
    this.#activity = activity
    this.#onStep = onStep
  }

  byId(id: number): Recording | null {
    return this.#one('SELECT * FROM recordings WHERE id = ?', id)
  }

  currentByPath(file: string): Recording | null {
    return this.#one('SELECT * FROM recordings WHERE path = ? AND current = 1', file)
  }

  /**
   * For each path, the facts of its current row that a scan compares, in the order of `files`. A scan may ask for
   * 100,000 paths, so one query covers many of them and skips column names.
   */
  seenBefore(files: readonly string[]): readonly (SeenFile | undefined)[] {
    const rows = this.#statements
      .of(
        `SELECT asked.key, state, service, problem_code IS NOT NULL, file_device, file_inode, bytes, mtime_ns, ctime_ns
         FROM json_each(?) AS asked CROSS JOIN recordings
         WHERE recordings.path = asked.value AND current = 1 AND removed_at IS NULL`,
      )
      .raw()
      .all(JSON.stringify(files)) as SeenColumns[]
    const seen: (SeenFile | undefined)[] = Array.from({ length: files.length })
    for (const row of rows) {
      const [index, state, service, hasProblem, device, inode, sizeBytes, mtimeNs, ctimeNs] = row
      const identity = { device, inode, sizeBytes, mtimeNs, ctimeNs }
      seen[index] = { state, service, hasProblem: hasProblem !== 0, identity }
    }
    return seen
  }

  /**
   * Rows whose path differs only in spelling, oldest first. Usually the same file; in a case-sensitive folder, a
   * different one.
   */
  otherSpellings(file: string): Recording[] {
    return this.#all(
      `SELECT * FROM recordings WHERE path_key = ? AND path <> ? AND current = 1 AND removed_at IS NULL
       ORDER BY id`,
      this.#paths.key(file),
      file,
    )
  }

  /** Candidates for a renamed file. */
  byInode(identity: FileIdentity): Recording[] {
    return this.#all(
      `SELECT * FROM recordings WHERE file_inode = ? AND file_device = ? AND current = 1
       AND removed_at IS NULL`,
      identity.inode,
      identity.device,
    )
  }

  bySession(sessionId: string): Recording[] {
    return this.#all('SELECT * FROM recordings WHERE session_id = ?', sessionId)
  }

  /** Sessions that the service should know, newest first. */
  knownSessions(limit: number): string[] {
    const rows = this.#statements
      .of(
        `SELECT session_id FROM recordings WHERE session_id IS NOT NULL AND state <> 'failed'
       ORDER BY changed_at DESC, id DESC LIMIT ?`,
      )
      .all(limit) as { session_id: string }[]
    return [...new Set(rows.map((row) => row.session_id))]
  }

  idsWithProblem(code: ProblemCode): number[] {
    const rows = this.#statements.of('SELECT id FROM recordings WHERE problem_code = ?').all(code) as {
      id: number
    }[]
    return rows.map(({ id }) => id)
  }

  /** A restored journal does not know what happened after the backup: the session it would create may exist. */
  lookFirstEverywhere(): void {
    this.#statements.of("UPDATE recordings SET look_first = 1 WHERE state <> 'processed'").run()
  }

  /** Recordings that still need their file, so a scan can detect missing ones. */
  neededIn(folder: string): NeededFile[] {
    return this.#statements
      .of(
        `SELECT id, path, state FROM recordings
       WHERE folder_key = ? AND current = 1 AND state IN (${placeholders(fileNeededStates)})`,
      )
      .all(this.#paths.key(folder), ...fileNeededStates) as NeededFile[]
  }

  /**
   * Other recordings with the same content, except sessions at another service. The index is named because recorders
   * often write files of one size, and SQLite would choose the index of sizes.
   */
  sameContent(recording: Recording, service: string): Recording[] {
    return this.#all(
      `SELECT * FROM recordings INDEXED BY recordings_by_content WHERE sha256 = ? AND bytes = ? AND id <> ?
         AND (session_id IS NULL OR service = ?) ORDER BY id`,
      recording.sha256,
      recording.identity.sizeBytes,
      recording.id,
      service,
    )
  }

  /** Recordings with the same content whose file vanished after it was fully hashed. */
  vanishedWith({ id, sha256, identity }: Recording): Recording[] {
    return this.#all(
      `SELECT * FROM recordings WHERE state = 'gone' AND sha256 = ? AND bytes = ? AND id <> ?
         AND (SELECT from_state FROM timeline WHERE recording_id = recordings.id AND to_state = 'gone'
              ORDER BY timeline.id DESC LIMIT 1) IN (${placeholders(hashedStates)})`,
      sha256,
      identity.sizeBytes,
      id,
      ...hashedStates,
    )
  }

  add(
    file: { readonly path: string; readonly identity: FileIdentity },
    folder: FolderSettings,
    options: { readonly lookFirst: boolean },
  ): Recording {
    const now = this.#now()
    const { lastInsertRowid } = this.#statements
      .of(
        `INSERT INTO recordings
         (path, path_key, name, folder, folder_key, site, device, notes, state, file_device, file_inode, bytes, mtime_ns, ctime_ns,
          born_ns, found_at, changed_at, look_first)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'growing', ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        file.path,
        this.#paths.key(file.path),
        this.#paths.nameOf(file.path),
        folder.path,
        this.#paths.key(folder.path),
        folder.site,
        folder.device ?? null,
        folder.notes ?? null,
        file.identity.device,
        file.identity.inode,
        file.identity.sizeBytes,
        file.identity.mtimeNs,
        file.identity.ctimeNs,
        file.identity.bornNs ?? null,
        now,
        now,
        Number(options.lookFirst),
      )
    const id = Number(lastInsertRowid)
    this.#note(id, { from: null, to: 'growing', problem: null }, 'file found', null)
    this.#changed(id, 'growing')
    return this.#get(id)
  }

  /**
   * One state change, one transaction, one line in the timeline. Returns null if the recording is no longer in `from`:
   * a command or the watcher was faster, and the caller's work is outdated.
   */
  transition(
    id: number,
    from: RecordingState,
    event: RecordingEvent,
    note: TransitionNote,
  ): Recording | null {
    return atomically(this.#db, () => {
      const to = nextState(from, event)
      if (to === null) {
        if (this.#stateOf(id) !== from) return null
        throw new IllegalTransitionError(id, from, event.kind)
      }
      const problem = note.patch?.problem ?? null
      const before = problem !== null && isLive(to) && note.silent !== true ? this.byId(id) : null
      // A hold belongs to the state it began in, so leaving the state clears it.
      const held = { problem: null, heldSinceMs: this.#now() }
      const columns = toColumns({ attempts: 0, nextAttemptAtMs: 0, ...held, ...note.patch })
      columns.state = to
      if (to === 'processed' && from !== to) columns.processed_at = this.#now()
      const row = this.#updateReturning('*', id, columns, from)
      if (row === undefined) return null
      if (note.silent !== true)
        this.#note(id, { from, to, problem: problem?.code ?? null }, note.reason, note.requestId ?? null)
      if (before !== null && problem !== null) this.#noteHold(before, problem)
      this.#changed(id, to)
      return toRecording(row)
    })
  }

  /**
   * Sets why and until when the recording waits, without changing its state. Does nothing if it has left the state
   * meanwhile.
   */
  hold(
    recording: Recording,
    wait: { readonly attempts: number; readonly untilMs: number; readonly problem: Problem | null },
  ): void {
    if (this.byId(recording.id)?.state !== recording.state) return
    const { attempts, untilMs, problem } = wait
    atomically(this.#db, () => {
      this.patch(recording.id, {
        attempts,
        nextAttemptAtMs: untilMs,
        ...(problem === null ? {} : { problem, heldSinceMs: recording.heldSinceMs ?? this.#now() }),
      })
      if (problem !== null) this.#noteHold(recording, problem)
    })
  }

  /** Noted once per hold: every retry meets the same problem. */
  #noteHold(recording: Recording, problem: Problem): void {
    const known = recording.problem
    if (known?.code === problem.code && known.endsBy === problem.endsBy) return
    this.#activity.note(
      { kind: 'held', problem },
      { recordingId: recording.id, sessionId: recording.sessionId, requestId: problem.requestId },
    )
  }

  /**
   * Clears the wait of recordings held for these reasons, so their stage retries them at once and finds out whether the
   * hold is over.
   */
  retryHeld(endings: readonly EndsBy[]): void {
    const { changes } = this.#statements
      .of(
        `UPDATE recordings SET next_attempt_at = 0, attempts = 0
         WHERE ends_by IN (${placeholders(endings)}) AND state IN (${placeholders(liveStates)})`,
      )
      .run(...endings, ...liveStates)
    if (changes > 0) this.#changed(null, null)
  }

  /** Records which service has the sessions of these recordings, by the station's name for it. */
  belongTo(service: string, which: 'all' | 'unknown'): void {
    this.#statements
      .of(`UPDATE recordings SET service = ? WHERE session_id IS NOT NULL AND (? = 'all' OR service IS NULL)`)
      .run(service, which)
  }

  /** Changes facts without changing the state. */
  patch(id: number, patch: RecordingPatch): void {
    this.#changed(id, this.#update(id, toColumns(patch)))
  }

  /** A line in the timeline without a state change ("renamed to …"). */
  remark(recording: Recording, reason: string, requestId: string | null = null): void {
    const { id, state } = recording
    this.#note(id, { from: state, to: state, problem: null }, reason, requestId)
    this.#changed(id, state)
  }

  /** Sluice itself moved or deleted the file. */
  removed(recording: Recording, movedTo: string | null): void {
    this.#changed(recording.id, this.#update(recording.id, { removed_at: this.#now(), moved_to: movedTo }))
  }

  /** The row keeps its history and session; the path now belongs to newer content. */
  supersede(id: number): void {
    this.#changed(id, this.#update(id, { current: 0 }))
  }

  move(
    recording: Recording,
    to: { readonly path: string; readonly identity: FileIdentity },
    folder: FolderSettings,
  ) {
    this.#update(recording.id, {
      ...toColumns({ identity: to.identity }),
      ...this.#ofFolder(recording, folder),
      path: to.path,
      path_key: this.#paths.key(to.path),
      name: this.#paths.nameOf(to.path),
    })
    this.remark(recording, `moved here from ${recording.path}`)
  }

  /** The file did not move. Its folder left the settings, and this watched folder contains it. */
  assignTo(recording: Recording, folder: FolderSettings): void {
    this.#update(recording.id, this.#ofFolder(recording, folder))
    this.remark(recording, `belongs to the folder ${folder.path} from now on`)
  }

  /** Once a session carries the site, it is fixed. Before that, the new folder's settings apply. */
  #ofFolder({ createKey }: Recording, { path, site, device, notes }: FolderSettings): Columns {
    const settings = createKey === null ? { site, device: device ?? null, notes: notes ?? null } : {}
    return { ...settings, folder: path, folder_key: this.#paths.key(path) }
  }

  #get(id: number): Recording {
    const recording = this.byId(id)
    if (recording === null) throw new Error(`recording ${id} is not in the journal`)
    return recording
  }

  #stateOf(id: number): RecordingState | null {
    const row = this.#statements.of('SELECT state FROM recordings WHERE id = ?').get(id) as
      | { readonly state: RecordingState }
      | undefined
    return row?.state ?? null
  }

  /** The state after the update; null if the recording does not exist. */
  #update(id: number, columns: Columns): RecordingState | null {
    const row = this.#updateReturning('state', id, columns) as { readonly state: RecordingState } | undefined
    return row?.state ?? null
  }

  /** Undefined if the recording does not exist or is not in state `mustBe`. */
  #updateReturning(what: 'state' | '*', id: number, columns: Columns, mustBe?: RecordingState): unknown {
    const names = Object.keys(columns)
    const values = Object.values(columns)
    values.push(this.#now(), id)
    if (mustBe !== undefined) values.push(mustBe)
    return this.#updateOf(names, what, mustBe !== undefined).get(...values)
  }

  /** Only a few sets of columns occur, so prepared statements are cached by column names. */
  #updateOf(names: readonly string[], what: 'state' | '*', checksState: boolean): Statement {
    const key = `${what} ${checksState} ${names}`
    const known = this.#updates.get(key)
    if (known !== undefined) return known
    const statement = prepared(
      this.#db,
      `UPDATE recordings SET ${[...names, 'changed_at'].map((name) => `${name} = ?`).join(', ')}
       WHERE id = ?${checksState ? ' AND state = ?' : ''} RETURNING ${what}`,
    )
    this.#updates.set(key, statement)
    return statement
  }

  #note(id: number, step: Parameters<StepListener>[1], reason: string, requestId: string | null): void {
    this.#statements
      .of(
        'INSERT INTO timeline (recording_id, at, from_state, to_state, reason, request_id) VALUES (?, ?, ?, ?, ?, ?)',
      )
      .run(id, this.#now(), step.from, step.to, reason, requestId)
    this.#onStep(id, step, reason, requestId)
  }

  #one(sql: string, ...values: unknown[]): Recording | null {
    const row = this.#statements.of(sql).get(...values)
    return row === undefined ? null : toRecording(row)
  }

  #all(sql: string, ...values: unknown[]): Recording[] {
    return toRecordings(this.#statements.of(sql).all(...values))
  }
}
