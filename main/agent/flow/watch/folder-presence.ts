import type { Problem } from '../../../../shared/status/problem.ts'
import type { FolderStatus } from '../../../../shared/status/status.ts'
import { type FoundProblem, isLeftOut, problemWithoutPath } from '../../domain/folder-problems.ts'
import type { Journal } from '../../journal/journal.ts'
import type { Clock } from '../../ports/clock.ts'

/**
 * How long after the loss of a folder the watcher probes the path often. A removed folder is often recreated at once,
 * and the system reports no event for that.
 */
const RECENT_MS = 60_000

export type WatchedState = Pick<FolderStatus, 'state' | 'problem'>

type Dependencies = {
  readonly journal: Journal
  readonly clock: Clock
  /** Called when the folder's state changes, because the journal does not report such a change. */
  readonly onState: () => void
}

/** Tracks whether a folder is present and since when it is missing. Stores its problems and activity in the journal. */
export class FolderPresence {
  readonly #path: string
  readonly #deps: Dependencies
  #state: WatchedState = { state: 'scanning', problem: null }
  /** The last state that the journal stores. */
  #notedState: FolderStatus['state'] = 'scanning'
  #lostAtMs: number | null = null

  constructor(path: string, deps: Dependencies) {
    this.#path = path
    this.#deps = deps
  }

  get state(): WatchedState {
    return this.#state
  }

  get isRecentlyGone(): boolean {
    if (this.#lostAtMs === null || this.#state.state !== 'offline') return false
    return Math.abs(this.#deps.clock.wallMs() - this.#lostAtMs) < RECENT_MS
  }

  setPresent(problems: readonly FoundProblem[]): void {
    this.#set('watching', problems, () => {})
    if (this.#lostAtMs === null) return
    const since = new Date(this.#lostAtMs).toISOString()
    this.#deps.journal.activity.note({ kind: 'folder-back', folder: this.#path, since })
    this.#lostAtMs = null
  }

  /** A missing, replaced or unusable folder does not mean deleted files: the recordings keep their states. */
  setAway(state: FolderStatus['state'], problem: Problem): void {
    const { clock, journal } = this.#deps
    // Keep the problems of skipped files: only a complete scan shows that they are solved.
    const skippedFiles = journal.folders
      .of(this.#path)
      ?.problems.filter(({ problem: { code } }) => isLeftOut(code))
    const since = this.#lostAtMs ?? clock.wallMs()
    this.#set(state, [problemWithoutPath(problem), ...(skippedFiles ?? [])], () =>
      journal.activity.note({ kind: 'folder-lost', folder: this.#path, state }),
    )
    this.#lostAtMs = since
  }

  /** Writes problems and the note of a new state in one transaction. If this throws, the next scan writes them. */
  #set(state: FolderStatus['state'], problems: readonly FoundProblem[], note: () => void): void {
    const { journal, onState } = this.#deps
    const isDifferent = this.#state.state !== state
    this.#state = { state, problem: problems[0]?.problem ?? null }
    if (isDifferent) onState()
    journal.transaction(() => {
      journal.folders.save(this.#path, state, problems)
      if (this.#notedState !== state) note()
    })
    this.#notedState = state
  }
}
