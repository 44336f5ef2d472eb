import { type ConditionName, conditionNames } from '../../../shared/status/conditions.ts'
import type { Problem, ProblemCode } from '../../../shared/status/problem.ts'
import type { Journal } from '../journal/journal.ts'
import type { Clock } from '../ports/clock.ts'

type NotedCondition = {
  readonly code: ProblemCode
  readonly problem: Problem
  readonly sinceMs: number
  readonly isLate: boolean
}

/** The activity entries of the station's conditions: one when a condition begins, changes its code or ends. */
export class ConditionActivity {
  readonly #journal: Journal
  readonly #clock: Pick<Clock, 'wallMs'>
  /**
   * Conditions whose start is in the activity and whose end is not. `isLate`: the disk was too full to write the
   * entry of the start.
   */
  readonly #noted = new Map<ConditionName, NotedCondition>()
  /** After a change of connection, these conditions end in the activity only once the new connection has answered. */
  readonly #awaitingProof = new Set<ConditionName>()

  constructor(journal: Journal, clock: Pick<Clock, 'wallMs'>) {
    this.#journal = journal
    this.#clock = clock
  }

  /** Lets the condition end without an entry. */
  forget(name: ConditionName): void {
    this.#noted.delete(name)
  }

  awaitProof(name: ConditionName): void {
    if (this.#noted.has(name)) this.#awaitingProof.add(name)
  }

  /** Call when the new connection has answered. Returns whether the end of the condition waited for this answer. */
  prove(name: ConditionName): boolean {
    return this.#awaitingProof.delete(name)
  }

  /** Call while the disk is full: `noteChanges` later writes the entry of the start together with that of the end. */
  noteLater(name: ConditionName, problem: Problem): void {
    if (this.#noted.has(name)) return
    this.#noted.set(name, { code: problem.code, problem, sinceMs: this.#clock.wallMs(), isLate: true })
  }

  /**
   * Writes entries for all changes. `stateOf` returns the problem of a condition, null if the condition does not
   * apply, or `brief` if it gets no entry.
   */
  noteChanges(stateOf: (name: ConditionName) => Problem | 'brief' | null): void {
    const { activity } = this.#journal
    for (const name of conditionNames) {
      const problem = stateOf(name)
      const noted = this.#noted.get(name)
      if (problem === 'brief') continue
      if (problem !== null) {
        this.#awaitingProof.delete(name)
        if (noted?.code === problem.code) continue
        activity.note({ kind: 'condition-began', condition: name, problem }, { requestId: problem.requestId })
        const sinceMs = noted?.sinceMs ?? this.#clock.wallMs()
        this.#noted.set(name, { code: problem.code, problem, sinceMs, isLate: false })
      } else if (noted !== undefined && !this.#awaitingProof.has(name)) {
        const { sinceMs, isLate } = noted
        if (isLate)
          activity.note(
            { kind: 'condition-began', condition: name, problem: noted.problem },
            { atMs: sinceMs },
          )
        activity.note({ kind: 'condition-ended', condition: name, since: new Date(sinceMs).toISOString() })
        this.#noted.delete(name)
      }
    }
  }
}
