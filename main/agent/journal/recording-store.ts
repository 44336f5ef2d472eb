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

/** A stage sent an event that the state does not have: a bug, never a condition. */
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
  /** Without a line in the timeline: the same has been said before, and would be again and again. */
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

/** Of a recording whose file is still needed, only what tells whether it is there. */
export type NeededFile = { readonly id: number; readonly path: string; readonly state: RecordingState }

export type StepTold = (
  recordingId: number,
  step: {
    readonly from: RecordingState | null
    readonly to: RecordingState
    /** What it came to that by. */
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
  readonly #told: StepTold

  constructor(
    db: Database,
    now: () => number,
    changed: (id: number | null, state: RecordingState | null) => void,
    paths: Paths,
    activity: ActivityStore,
    told: StepTold,
  ) {
    this.#db = db
    this.#statements = new Statements(db)
    this.#now = now
    this.#changed = changed
    this.#paths = paths
    this.#activity = activity
    this.#told = told
  }

  byId(id: number): Recording | null {
    return this.#one('SELECT * FROM recordings WHERE id = ?', id)
  }

  currentByPath(file: string): Recording | null {
    return this.#one('SELECT * FROM recordings WHERE path = ? AND current = 1', file)
  }

  /**
   * Of the row that speaks for each path, what a look through a folder compares; in the order of the paths. There may be
   * 100,000 of them: one question for many takes three quarters of the time, and none of it for the names of columns.
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
   * Rows of the same path, spelled otherwise. Usually the same file; where a folder tells case apart, another one.
   * The oldest first.
   */
  otherSpellings(file: string): Recording[] {
    return this.#all(
      `SELECT * FROM recordings WHERE path_key = ? AND path <> ? AND current = 1 AND removed_at IS NULL
       ORDER BY id`,
      this.#paths.key(file),
      file,
    )
  }

  /** Candidates for "the same file under another name". */
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

  /** Sessions that the service should know, the newest first. */
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

  /** A journal from a backup does not know what was done after it: whatever it would start may exist already. */
  lookFirstEverywhere(): void {
    this.#statements.of("UPDATE recordings SET look_first = 1 WHERE state <> 'processed'").run()
  }

  /** Rows whose file is still needed, for telling what vanished from a folder. */
  neededIn(folder: string): NeededFile[] {
    return this.#statements
      .of(
        `SELECT id, path, state FROM recordings
       WHERE folder_key = ? AND current = 1 AND state IN (${placeholders(fileNeededStates)})`,
      )
      .all(this.#paths.key(folder), ...fileNeededStates) as NeededFile[]
  }

  /**
   * Other recordings with the same bytes; what another service has does not count. The index is named: a recorder's
   * files are often of one size, and SQLite would take the index of sizes.
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

  /** Whose file is gone, and which had been read to the end before: the same bytes. */
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
   * One state change, one transaction, one line in the timeline. Returns null when the recording is no longer
   * in `from`: somebody else was faster (a command, the watcher), and the caller's work is out of date.
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
      // Whatever held it belonged to the state it has left.
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

  /** Beside the state: until when it waits, and why. Nothing where the recording has moved on meanwhile. */
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

  /** Once for as long as it lasts: the same is met again at every try. */
  #noteHold(recording: Recording, problem: Problem): void {
    const known = recording.problem
    if (known?.code === problem.code && known.endsBy === problem.endsBy) return
    this.#activity.note(
      { kind: 'held', problem },
      { recordingId: recording.id, sessionId: recording.sessionId, requestId: problem.requestId },
    )
  }

  /** What these hold back is looked at again at once; the look tells whether the hold is over. */
  lookAgain(endings: readonly EndsBy[]): void {
    const { changes } = this.#statements
      .of(
        `UPDATE recordings SET next_attempt_at = 0, attempts = 0
         WHERE ends_by IN (${placeholders(endings)}) AND state IN (${placeholders(liveStates)})`,
      )
      .run(...endings, ...liveStates)
    if (changes > 0) this.#changed(null, null)
  }

  /** The sessions of these rows are at the service that the station calls so. */
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

  /** Sluice itself took the file from its folder: to another one, or for good. */
  removed(recording: Recording, movedTo: string | null): void {
    this.#changed(recording.id, this.#update(recording.id, { removed_at: this.#now(), moved_to: movedTo }))
  }

  /** The row keeps its history and its session; the path now belongs to new content. */
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

  /** The file stays where it is; its own folder was removed from the settings, and this one contains it. */
  assignTo(recording: Recording, folder: FolderSettings): void {
    this.#update(recording.id, this.#ofFolder(recording, folder))
    this.remark(recording, `belongs to the folder ${folder.path} from now on`)
  }

  /** The site is fixed once a session carries it; before that the new folder's settings hold. */
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

  /** The state that it is in afterwards; null where there is no such recording. */
  #update(id: number, columns: Columns): RecordingState | null {
    const row = this.#updateReturning('state', id, columns) as { readonly state: RecordingState } | undefined
    return row?.state ?? null
  }

  /** Undefined where there is no such recording, or it is not in the state that it has to be in. */
  #updateReturning(what: 'state' | '*', id: number, columns: Columns, mustBe?: RecordingState): unknown {
    const names = Object.keys(columns)
    const values = Object.values(columns)
    values.push(this.#now(), id)
    if (mustBe !== undefined) values.push(mustBe)
    return this.#updateOf(names, what, mustBe !== undefined).get(...values)
  }

  /** Which columns change is one of a few sets: its statement is known by their names, before any SQL is made of them. */
  #updateOf(names: readonly string[], what: 'state' | '*', asksState: boolean): Statement {
    const key = `${what} ${asksState} ${names}`
    const known = this.#updates.get(key)
    if (known !== undefined) return known
    const made = prepared(
      this.#db,
      `UPDATE recordings SET ${[...names, 'changed_at'].map((name) => `${name} = ?`).join(', ')}
       WHERE id = ?${asksState ? ' AND state = ?' : ''} RETURNING ${what}`,
    )
    this.#updates.set(key, made)
    return made
  }

  #note(id: number, step: Parameters<StepTold>[1], reason: string, requestId: string | null): void {
    this.#statements
      .of(
        'INSERT INTO timeline (recording_id, at, from_state, to_state, reason, request_id) VALUES (?, ?, ?, ?, ?, ?)',
      )
      .run(id, this.#now(), step.from, step.to, reason, requestId)
    this.#told(id, step, reason, requestId)
  }

  #one(sql: string, ...values: unknown[]): Recording | null {
    const row = this.#statements.of(sql).get(...values)
    return row === undefined ? null : toRecording(row)
  }

  #all(sql: string, ...values: unknown[]): Recording[] {
    return toRecordings(this.#statements.of(sql).all(...values))
  }
}
