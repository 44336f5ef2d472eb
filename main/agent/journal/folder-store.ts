import type { Database } from 'better-sqlite3'
import type { Paths } from '../../../shared/paths/paths.ts'
import type { FolderProblem, FolderStatus } from '../../../shared/status/status.ts'
import { type FoundProblem, isLeftOut } from '../domain/folder-problems.ts'
import type { ActivityStore } from './activity-store.ts'
import { Statements, transaction } from './statements.ts'

export type SavedFolderState = {
  readonly path: string
  readonly state: FolderStatus['state']
  readonly problems: readonly FolderProblem[]
}

type Row = { readonly path: string; readonly state: string; readonly problems: string }

const toFolderState = ({ path, state, problems }: Row): SavedFolderState => ({
  path,
  state: state as FolderStatus['state'],
  problems: JSON.parse(problems) as FolderProblem[],
})

/** The state of each watched folder at its last scan, for terminal commands and the next start. */
export class FolderStore {
  readonly #db: Database
  readonly #statements: Statements
  readonly #now: () => number
  readonly #changed: () => void
  readonly #paths: Paths
  readonly #activity: ActivityStore

  constructor(db: Database, now: () => number, changed: () => void, paths: Paths, activity: ActivityStore) {
    this.#db = db
    this.#statements = new Statements(db)
    this.#now = now
    this.#changed = changed
    this.#paths = paths
    this.#activity = activity
  }

  all(): readonly SavedFolderState[] {
    const rows = this.#statements.of('SELECT path, state, problems FROM folder_states ORDER BY path').all()
    return (rows as Row[]).map(toFolderState)
  }

  of(folder: string): SavedFolderState | null {
    const row = this.#statements
      .of('SELECT path, state, problems FROM folder_states WHERE key = ?')
      .get(this.#paths.key(folder)) as Row | undefined
    return row === undefined ? null : toFolderState(row)
  }

  /**
   * Replaces the state and the problems of a folder. Adds a note to the activity list if scans begin to leave out a
   * path, or if such a problem has ended.
   */
  save(folder: string, state: FolderStatus['state'], found: readonly FoundProblem[]): void {
    const earlier = this.of(folder)
    const since = new Date(this.#now()).toISOString()
    const earlierOf = (one: FoundProblem) =>
      earlier?.problems.find(({ problem }) => problem.code === one.problem.code)
    const problems = found.map((one): FolderProblem => ({ ...one, since: earlierOf(one)?.since ?? since }))
    if (earlier?.state === state && JSON.stringify(earlier.problems) === JSON.stringify(problems)) return
    transaction(this.#db, () => {
      this.#statements
        .of(
          `INSERT INTO folder_states (key, path, state, problems) VALUES (?, ?, ?, ?)
           ON CONFLICT (key) DO UPDATE SET path = excluded.path, state = excluded.state, problems = excluded.problems`,
        )
        .run(this.#paths.key(folder), folder, state, JSON.stringify(problems))
      this.#noteChanges(folder, earlier?.problems ?? [], problems)
    })
    this.#changed()
  }

  /** Deletes the states of folders that were removed from the settings. */
  forgetExcept(folders: readonly string[]): void {
    const configuredKeys = new Set(folders.map((folder) => this.#paths.key(folder)))
    const forget = this.#statements.of('DELETE FROM folder_states WHERE key = ?')
    for (const { path } of this.all())
      if (!configuredKeys.has(this.#paths.key(path))) {
        forget.run(this.#paths.key(path))
        this.#changed()
      }
  }

  /**
   * Adds notes only about files that scans leave out. Other problems need no note here: a lost folder has its own
   * notes, and a failed watch is temporary.
   */
  #noteChanges(folder: string, before: readonly FolderProblem[], now: readonly FolderProblem[]): void {
    for (const { problem, leftOut, leftOutCount } of now.filter((one) => isLeftOut(one.problem.code))) {
      const earlier = before.find((one) => one.problem.code === problem.code)
      // A truncated list does not show which paths are new.
      const wasCut = earlier !== undefined && earlier.leftOutCount > earlier.leftOut.length
      const paths = wasCut ? [] : leftOut.filter((path) => earlier?.leftOut.includes(path) !== true)
      if (paths.length > 0) this.#activity.note({ kind: 'left-out', folder, problem, paths, leftOutCount })
    }
    for (const { problem, since } of before.filter((one) => isLeftOut(one.problem.code)))
      if (!now.some((one) => one.problem.code === problem.code))
        this.#activity.note({ kind: 'left-out-ended', folder, problem, since })
  }
}
