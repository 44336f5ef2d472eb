import type { Database } from 'better-sqlite3'
import type { Paths } from '../../../shared/paths/paths.ts'
import type { FolderSettings } from '../../../shared/settings/settings.ts'
import type { Problem, ProblemCode } from '../../../shared/status/problem.ts'
import type { EndsBy } from '../../../shared/status/problem-terms.ts'
import type { RecordingState } from '../../../shared/status/status.ts'
import type { FileIdentity } from '../domain/file-identity.ts'
import { isLive, liveStates, nextState, type RecordingEvent } from '../domain/states.ts'
import { takeOf } from '../domain/takes.ts'
import type { ActivityStore } from './activity-store.ts'
import { RecordingQueries } from './recording-queries.ts'
import { type Columns, RecordingUpdates } from './recording-updates.ts'
import { type Recording, type RecordingPatch, toColumns, toRecording } from './row.ts'
import { placeholders, Statements, transaction } from './statements.ts'

/** A stage sent an event that the recording's state does not allow. This is always a bug. */
class IllegalTransitionError extends Error {
  constructor(id: number, state: RecordingState, event: string) {
    super(`recording ${id} is ${state}, which does not accept "${event}"`)
  }
}

const LATE_REASON = 'file added or changed after its take was finished'

export type TransitionNote = {
  readonly reason: string
  readonly requestId?: string | null
  readonly patch?: RecordingPatch
  /**
   * If true, the timeline already has the same line. The transition then adds no line and no note about the problem.
   */
  readonly isRepeat?: boolean
}

export type StepListener = (
  recordingId: number,
  step: {
    readonly from: RecordingState | null
    readonly to: RecordingState
    /** The problem with which the recording entered the state `to`. */
    readonly problem: ProblemCode | null
  },
  reason: string,
  requestId: string | null,
) => void

/** Writes recordings. Each state change is one transaction with a line in the timeline, unless it is a repeat. */
export class RecordingStore extends RecordingQueries {
  readonly #db: Database
  readonly #now: () => number
  readonly #changed: (id: number | null, state: RecordingState | null) => void
  readonly #statements: Statements
  readonly #updates: RecordingUpdates
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
    super(db, paths)
    this.#db = db
    this.#updates = new RecordingUpdates(db, now)
    this.#statements = new Statements(db)
    this.#now = now
    this.#changed = changed
    this.#paths = paths
    this.#activity = activity
    this.#onStep = onStep
  }

  /**
   * Makes the opener search for a session before it creates one. A restored journal lacks all changes since its backup,
   * so a session may already exist.
   */
  findSessionsFirst(): void {
    this.#statements.of("UPDATE recordings SET look_first = 1 WHERE state <> 'processed'").run()
  }

  add(
    file: { readonly path: string; readonly identity: FileIdentity },
    folder: FolderSettings,
    options: { readonly findSessionFirst: boolean },
  ): Recording {
    const now = this.#now()
    const take = takeOf(folder, file.path, this.#paths)
    const isLate = take !== null && this.#isSettled(take)
    const { lastInsertRowid } = this.#statements
      .of(
        `INSERT INTO recordings
         (path, path_key, name, folder, folder_key, take, site, device, notes, state, file_device, file_inode, bytes, mtime_ns, ctime_ns,
          born_ns, found_at, changed_at, look_first)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'growing', ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        file.path,
        this.#paths.key(file.path),
        this.#paths.nameOf(file.path),
        folder.path,
        this.#paths.key(folder.path),
        take,
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
        Number(options.findSessionFirst),
      )
    const id = Number(lastInsertRowid)
    this.#note(id, { from: null, to: 'growing', problem: null }, isLate ? LATE_REASON : 'file found', null)
    this.#changed(id, 'growing')
    return this.#get(id)
  }

  /**
   * Changes the state. Returns null if the recording is no longer in `from`: a user's action or the watcher was faster,
   * so the caller's work is outdated.
   */
  transition(
    id: number,
    from: RecordingState,
    event: RecordingEvent,
    note: TransitionNote,
  ): Recording | null {
    return transaction(this.#db, () => {
      const to = nextState(from, event)
      if (to === null) {
        if (this.#stateOf(id) !== from) return null
        throw new IllegalTransitionError(id, from, event.kind)
      }
      const problem = note.patch?.problem ?? null
      const recording = problem !== null && isLive(to) && note.isRepeat !== true ? this.byId(id) : null
      // A hold applies only to the state in which it began, so a transition clears the hold.
      const clearedHold = { problem: null, heldSinceMs: this.#now() }
      const columns = toColumns({ attempts: 0, nextAttemptAtMs: 0, ...clearedHold, ...note.patch })
      columns.state = to
      if (to === 'processed' && from !== to) columns.processed_at = this.#now()
      const row = this.#updates.setInState(id, from, columns)
      if (row === undefined) return null
      if (note.isRepeat !== true)
        this.#note(id, { from, to, problem: problem?.code ?? null }, note.reason, note.requestId ?? null)
      if (recording !== null && problem !== null) this.#noteHold(recording, problem)
      this.#changed(id, to)
      return toRecording(row)
    })
  }

  /**
   * Lets a recording wait: sets the end of the wait and the problem, but not the state. If `problem` is null, the
   * earlier problem stays. Does nothing if the state has changed in the meantime.
   */
  hold(
    recording: Recording,
    wait: { readonly attempts: number; readonly untilMs: number; readonly problem: Problem | null },
  ): void {
    if (this.byId(recording.id)?.state !== recording.state) return
    const { attempts, untilMs, problem } = wait
    transaction(this.#db, () => {
      this.patch(recording.id, {
        attempts,
        nextAttemptAtMs: untilMs,
        ...(problem === null ? {} : { problem, heldSinceMs: recording.heldSinceMs ?? this.#now() }),
      })
      if (problem !== null) this.#noteHold(recording, problem)
    })
  }

  /** Adds the problem to the activity list once per hold, not for every retry that fails in the same way. */
  #noteHold(recording: Recording, problem: Problem): void {
    const earlier = recording.problem
    if (earlier?.code === problem.code && earlier.endsBy === problem.endsBy) return
    this.#activity.note(
      { kind: 'held', problem },
      { recordingId: recording.id, sessionId: recording.sessionId, requestId: problem.requestId },
    )
  }

  /** Clears the wait of recordings whose hold can end in one of these ways. */
  retryHeld(endings: readonly EndsBy[]): void {
    const { changes } = this.#statements
      .of(
        `UPDATE recordings SET next_attempt_at = 0, attempts = 0
         WHERE ends_by IN (${placeholders(endings)}) AND state IN (${placeholders(liveStates)})`,
      )
      .run(...endings, ...liveStates)
    if (changes > 0) this.#changed(null, null)
  }

  /**
   * Call when the agent starts. In a rolled-back journal, an uploaded recording may count as waiting. So Sluice
   * searches for existing sessions before it uploads waiting recordings. Includes gone recordings, because their files
   * may come back. Leaves out recordings with a checksum mismatch, because they need a new session.
   */
  searchWaiting(): void {
    this.#statements
      .of(
        `UPDATE recordings SET look_first = 1
         WHERE state IN ('growing', 'queued', 'hashing', 'ready', 'gone') AND look_first = 0
           AND create_key IS NULL AND create_key_at IS NULL AND session_id IS NULL AND mismatches = 0`,
      )
      .run()
  }

  /** Whether an earlier session of the recording failed, was abandoned or got lost. */
  leftSession(id: number): boolean {
    const line = this.#statements
      .of(
        `SELECT 1 FROM timeline
         WHERE recording_id = ?
           AND (from_state = 'failed' OR (from_state IN ('uploading', 'completing') AND to_state = 'ready'))
         LIMIT 1`,
      )
      .get(id)
    return line !== undefined
  }

  /**
   * Stores which service has the sessions of the recordings. `service` is the station's name for that service. `all`
   * applies to every recording with a session. `unknown` leaves out recordings with a stored service.
   */
  setService(service: string, which: 'all' | 'unknown'): void {
    this.#statements
      .of(`UPDATE recordings SET service = ? WHERE session_id IS NOT NULL AND (? = 'all' OR service IS NULL)`)
      .run(service, which)
  }

  /** Changes columns, but not the state. */
  patch(id: number, patch: RecordingPatch): void {
    this.#changed(id, this.#updates.set(id, toColumns(patch)))
  }

  /** Adds a line to the timeline without a state change ("moved here from …"). */
  remark(recording: Recording, reason: string, requestId: string | null = null): void {
    const { id, state } = recording
    this.#note(id, { from: state, to: state, problem: null }, reason, requestId)
    this.#changed(id, state)
  }

  /** Call after Sluice itself moved or deleted the file. */
  markRemoved(recording: Recording, movedTo: string | null): void {
    this.#changed(
      recording.id,
      this.#updates.set(recording.id, { removed_at: this.#now(), moved_to: movedTo }),
    )
  }

  /** Call when the path has newer content. The row keeps its history and session. */
  supersede(id: number): void {
    this.#changed(id, this.#updates.set(id, { current: 0 }))
  }

  /**
   * Call if the file of a processed recording no longer matches `sha256`. Its size and mtime may be unchanged. The next
   * scan adds the file as a new recording. Returns the old recording, or null if the recording has changed in the
   * meantime.
   */
  supersedeEdited(id: number, sha256: string | null): Recording | null {
    return transaction(this.#db, () => {
      const recording = this.byId(id)
      if (recording === null || !recording.current || recording.state !== 'processed') return null
      if (recording.removedAtMs !== null || recording.sha256 !== sha256) return null
      this.remark(recording, 'the file has different content now, which becomes a new recording')
      this.supersede(id)
      return recording
    })
  }

  move(
    recording: Recording,
    to: { readonly path: string; readonly identity: FileIdentity },
    folder: FolderSettings,
  ) {
    this.#updates.set(recording.id, {
      ...toColumns({ identity: to.identity }),
      ...this.#ofFolder(recording, folder),
      take: takeOf(folder, to.path, this.#paths),
      path: to.path,
      path_key: this.#paths.key(to.path),
      name: this.#paths.nameOf(to.path),
    })
    this.remark(recording, `moved here from ${recording.path}`)
  }

  /**
   * Assigns a recording to a watched folder that contains its file. Call when the recording's earlier folder is no
   * longer in the settings.
   */
  assignTo(recording: Recording, folder: FolderSettings): void {
    const take = takeOf(folder, recording.path, this.#paths)
    this.#updates.set(recording.id, { ...this.#ofFolder(recording, folder), take })
    this.remark(recording, `belongs to the folder ${folder.path} from now on`)
  }

  /**
   * The columns that depend on the folder. If a session may exist, the recording keeps the session's site, device and
   * notes. Otherwise the settings of the new folder apply.
   */
  #ofFolder({ createKey, sessionId }: Recording, { path, site, device, notes }: FolderSettings): Columns {
    const mayHaveSession = createKey !== null || sessionId !== null
    const settings = mayHaveSession ? {} : { site, device: device ?? null, notes: notes ?? null }
    return { ...settings, folder: path, folder_key: this.#paths.key(path) }
  }

  /** A take counts as finished if at least one of its files is no longer in the state `growing`. */
  #isSettled(take: string): boolean {
    const settled = this.#statements
      .of("SELECT 1 FROM recordings WHERE take = ? AND current = 1 AND state <> 'growing' LIMIT 1")
      .get(take)
    return settled !== undefined
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

  #note(id: number, step: Parameters<StepListener>[1], reason: string, requestId: string | null): void {
    this.#statements
      .of(
        'INSERT INTO timeline (recording_id, at, from_state, to_state, reason, request_id) VALUES (?, ?, ?, ?, ?, ?)',
      )
      .run(id, this.#now(), step.from, step.to, reason, requestId)
    this.#onStep(id, step, reason, requestId)
  }
}
