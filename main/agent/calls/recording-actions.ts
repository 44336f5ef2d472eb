import { setImmediate } from 'node:timers/promises'
import type { ActionOutcome, ActionProgress, CheckedArgs } from '../../../shared/ipc/ipc.ts'
import { actionApplies, type RecordingAction } from '../../../shared/status/recording-actions.ts'
import type { StandingContext } from '../domain/standing.ts'
import type { Journal, Recording } from '../journal/journal.ts'
import * as commands from './commands.ts'
import { writeWhenFree } from './write-when-free.ts'

const ROWS_PER_STEP = 200

type Chosen = CheckedArgs<'retryRecordings'>
/** One applied action, and how to undo it. */
type Done = { readonly id: number; readonly undo: ((recording: Recording) => boolean) | null }

/**
 * Applies a user's action to many recordings, in steps so that the agent stays responsive. The last action can be
 * undone until the next action or until the agent ends.
 */
export class RecordingActions {
  readonly #journal: Journal
  readonly #view: () => StandingContext
  #progress: ActionProgress | null = null
  #last: { readonly undo: number; readonly done: readonly Done[] } | null = null
  #lastUndoId = 0

  constructor(journal: Journal, view: () => StandingContext) {
    this.#journal = journal
    this.#view = view
  }

  get progress(): ActionProgress | null {
    return this.#progress
  }

  async run(action: RecordingAction, chosen: Chosen): Promise<ActionOutcome> {
    // Collect all ids first: an action can make a recording stop matching.
    const ids = 'ids' in chosen ? chosen.ids : this.#journal.list.ids(chosen.matching, this.#view())
    return this.#run(ids, action, (recording) => this.#apply(action, recording))
  }

  /** Dismisses recordings whose files are excluded from now on. */
  ignore(ids: readonly number[]): Promise<ActionOutcome> {
    const journal = this.#journal
    return this.#run(ids, 'dismiss', (recording) => {
      commands.ignore(journal, recording)
      return (now) => commands.stopIgnoring(journal, now, recording)
    })
  }

  /** Applies `change` to the recordings that `action` applies to. */
  async #run(
    ids: readonly number[],
    action: RecordingAction,
    change: (recording: Recording) => Done['undo'],
  ): Promise<ActionOutcome> {
    const done: Done[] = []
    await this.each(ids, (recording) => {
      if (actionApplies(action, recording)) done.push({ id: recording.id, undo: change(recording) })
    })
    this.#lastUndoId += 1
    const canUndo = done.some(({ undo }) => undo !== null)
    this.#last = canUndo ? { undo: this.#lastUndoId, done } : null
    return { acted: done.length, skipped: ids.length - done.length, undo: this.#last?.undo ?? null }
  }

  /** Null if the action can no longer be undone. */
  async undo(undo: number): Promise<ActionOutcome | null> {
    if (this.#last?.undo !== undo) return null
    const undos = new Map(this.#last.done.map((one) => [one.id, one.undo]))
    this.#last = null
    let acted = 0
    await this.each([...undos.keys()], (recording) => {
      if (undos.get(recording.id)?.(recording) === true) acted += 1
    })
    return { acted, skipped: undos.size - acted, undo: null }
  }

  async each(ids: readonly number[], action: (recording: Recording) => void): Promise<void> {
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

  #apply(action: RecordingAction, recording: Recording): Done['undo'] {
    const journal = this.#journal
    switch (action) {
      case 'retry':
        commands.retry(journal, recording)
        return null
      case 'prioritise':
        commands.setPrioritised(journal, recording, true)
        return (now) => now.prioritised && commands.setPrioritised(journal, now, false)
      case 'pause':
        commands.setPaused(journal, recording, true)
        return (now) => now.paused && commands.setPaused(journal, now, false)
      case 'resume':
        commands.setPaused(journal, recording, false)
        return (now) => !now.paused && commands.setPaused(journal, now, true)
      case 'dismiss':
        commands.dismiss(journal, recording)
        return (now) => commands.restoreProblem(journal, now, recording)
    }
  }
}
