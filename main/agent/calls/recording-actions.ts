import { setImmediate } from 'node:timers/promises'
import type { ActionOutcome, ActionProgress, CheckedArgs } from '../../../shared/ipc/ipc.ts'
import type { ProblemCode } from '../../../shared/status/problem.ts'
import {
  actionApplies,
  isRetriedWithTake,
  mayRetryWithTake,
} from '../../../shared/status/recording-actions.ts'
import type { RecordingAction } from '../../../shared/status/status.ts'
import { type StandingContext, standingOfRecording } from '../domain/standing.ts'
import { decidingFile } from '../domain/takes.ts'
import type { Journal, Recording } from '../journal/journal.ts'
import * as commands from './commands.ts'
import { writeWhenFree } from './write-when-free.ts'

const ROWS_PER_STEP = 200

type Selection = CheckedArgs<'retryRecordings'>
/** The change of one recording. `undo` is null if the change cannot be undone. */
type AppliedAction = { readonly id: number; readonly undo: ((recording: Recording) => boolean) | null }

/**
 * Applies a user's action to many recordings, in steps so that the agent stays responsive. The last action can be
 * undone until the next action or until the agent ends.
 */
export class RecordingActions {
  readonly #journal: Journal
  readonly #view: () => StandingContext
  #progress: ActionProgress | null = null
  #lastAction: { readonly undoId: number; readonly applied: readonly AppliedAction[] } | null = null
  #lastUndoId = 0

  constructor(journal: Journal, view: () => StandingContext) {
    this.#journal = journal
    this.#view = view
  }

  get progress(): ActionProgress | null {
    return this.#progress
  }

  async run(action: RecordingAction, selection: Selection): Promise<ActionOutcome> {
    const isByTake = selection.takes === true
    // Collect all ids first: an action can make a recording stop matching.
    const ids =
      'ids' in selection ? selection.ids : this.#journal.list.ids(selection.matching, this.#view(), isByTake)
    // Usually, an action also applies to the other files of each take. But `dismiss` hides a problem, so it applies
    // only to the chosen files. A filter on the list of files already matches every file that the user means.
    const hasOthers = action !== 'dismiss' && ('ids' in selection || isByTake)
    const others = hasOthers ? this.#journal.takes.otherFiles(ids) : []
    const chosen = new Set(ids)
    const changedRows = new Set<number | string>()
    const retry = this.#createRetry()
    const noteRow = ({ id, take }: Recording) => {
      if (isByTake) changedRows.add(take ?? id)
      else if (chosen.has(id)) changedRows.add(id)
    }
    const outcome = await this.#run(
      [...ids, ...others],
      action,
      (recording) => {
        noteRow(recording)
        return this.#apply(action, recording, retry)
      },
      this.#createFilter(action, chosen, isByTake),
    )
    return { ...outcome, skipped: ids.length - changedRows.size }
  }

  #createFilter(
    action: RecordingAction,
    chosen: ReadonlySet<number>,
    isByTake: boolean,
  ): (recording: Recording) => boolean {
    switch (action) {
      case 'retry':
        return isByTake
          ? this.#createTakeRetryFilter()
          : (recording) => chosen.has(recording.id) || mayRetryWithTake(recording)
      case 'dismiss':
        // The row of a take does not show which files have a problem, so a user has to dismiss the files one by one.
        return ({ take }) => !isByTake || take === null || this.#journal.takes.files(take, 1).count === 1
      case 'prioritise':
      case 'pause':
      case 'resume':
        return () => true
    }
  }

  /**
   * Decides which files a retry of whole takes includes. The first retry in a take changes the standing and problem of
   * the take, so the filter remembers the earlier ones.
   */
  #createTakeRetryFilter(): (recording: Recording) => boolean {
    const context = this.#view()
    const fileOf = (recording: Recording) => ({
      standing: standingOfRecording(recording, context),
      problem: recording.problem,
    })
    const shownByTake = new Map<string, ReturnType<typeof fileOf>>()
    const findShown = (take: string, recording: Recording) => {
      const [first = fileOf(recording), ...others] = this.#journal.takes.members(take).map(fileOf)
      const shown = decidingFile([first, ...others])
      shownByTake.set(take, shown)
      return shown
    }
    return (recording) => {
      const { take } = recording
      if (take === null) return true
      return isRetriedWithTake(shownByTake.get(take) ?? findShown(take, recording), fileOf(recording))
    }
  }

  /** Retries every recording with this problem, unless a user has dismissed the problem. */
  retryProblem(code: ProblemCode): Promise<void> {
    const ids = this.#journal.recordings.idsWithProblem(code)
    return this.#forEachRecording(ids, this.#createRetry())
  }

  /** Dismisses recordings that the settings exclude from now on. Does not change the settings. */
  ignore(ids: readonly number[]): Promise<ActionOutcome> {
    const journal = this.#journal
    return this.#run(ids, 'dismiss', (recording) => {
      commands.ignore(journal, recording)
      return (current) => commands.stopIgnoring(journal, current, recording)
    })
  }

  /** Applies `change` to each recording if `action` applies to it and `isWanted` accepts it. */
  async #run(
    ids: readonly number[],
    action: RecordingAction,
    change: (recording: Recording) => AppliedAction['undo'],
    isWanted: (recording: Recording) => boolean = () => true,
  ): Promise<ActionOutcome> {
    const applied: AppliedAction[] = []
    await this.#forEachRecording(ids, (recording) => {
      if (actionApplies(action, recording) && isWanted(recording))
        applied.push({ id: recording.id, undo: change(recording) })
    })
    this.#lastUndoId += 1
    const canUndo = applied.some(({ undo }) => undo !== null)
    this.#lastAction = canUndo ? { undoId: this.#lastUndoId, applied } : null
    return {
      acted: applied.length,
      skipped: ids.length - applied.length,
      undo: this.#lastAction?.undoId ?? null,
    }
  }

  /** Null if the action can no longer be undone. */
  async undo(undoId: number): Promise<ActionOutcome | null> {
    if (this.#lastAction?.undoId !== undoId) return null
    const undos = new Map(this.#lastAction.applied.map(({ id, undo }) => [id, undo]))
    this.#lastAction = null
    let undoneCount = 0
    await this.#forEachRecording([...undos.keys()], (recording) => {
      if (undos.get(recording.id)?.(recording) === true) undoneCount += 1
    })
    return { acted: undoneCount, skipped: undos.size - undoneCount, undo: null }
  }

  async #forEachRecording(ids: readonly number[], action: (recording: Recording) => void): Promise<void> {
    try {
      for (let from = 0; from < ids.length; from += ROWS_PER_STEP) {
        this.#progress = { done: from, total: ids.length }
        const step = () => {
          for (const id of ids.slice(from, from + ROWS_PER_STEP)) {
            const recording = this.#journal.recordings.byId(id)
            if (recording !== null) action(recording)
          }
        }
        await writeWhenFree(this.#journal, () => this.#journal.transaction(step))
        await setImmediate()
      }
    } finally {
      this.#progress = null
    }
  }

  /** Creates a function that retries recordings. It retries each held take only once. */
  #createRetry(): (recording: Recording) => void {
    const isDecided = commands.trackDecidedTakes()
    return (recording) => {
      if (!isDecided(recording)) commands.retry(this.#journal, recording)
    }
  }

  #apply(
    action: RecordingAction,
    recording: Recording,
    retry: (recording: Recording) => void,
  ): AppliedAction['undo'] {
    const journal = this.#journal
    switch (action) {
      case 'retry':
        retry(recording)
        return null
      case 'prioritise':
        commands.setPrioritised(journal, recording, true)
        return (current) => current.prioritised && commands.setPrioritised(journal, current, false)
      case 'pause':
        commands.setPaused(journal, recording, true)
        return (current) => current.paused && commands.setPaused(journal, current, false)
      case 'resume':
        commands.setPaused(journal, recording, false)
        return (current) => !current.paused && commands.setPaused(journal, current, true)
      case 'dismiss':
        commands.dismiss(journal, recording)
        return (current) => commands.restoreProblem(journal, current, recording)
    }
  }
}
