import { type ConditionName, conditionNames } from '../../../shared/status/conditions.ts'
import type { Problem, ProblemCode } from '../../../shared/status/problem.ts'
import type { Journal } from '../journal/journal.ts'
import type { Clock } from '../ports/clock.ts'

type NotedCondition = {
  readonly code: ProblemCode
  readonly problem: Problem
  readonly sinceMs: number
  /** True if the entry of the start is not written, because the disk was full. */
  readonly isStartUnwritten: boolean
}

/** Writes an activity entry when a condition of the station begins, changes its code or ends. */
export class ConditionActivity {
  readonly #journal: Journal
  readonly #clock: Pick<Clock, 'wallMs'>
  /** Conditions that have begun, and whose end is not in the activity yet. */
  readonly #noted = new Map<ConditionName, NotedCondition>()
  /**
   * Conditions of the control API or the storage from before the last change of connection. Their end is written only
   * after an answer over the new connection.
   */
  readonly #awaitingAnswer = new Set<ConditionName>()

  constructor(journal: Journal, clock: Pick<Clock, 'wallMs'>) {
    this.#journal = journal
    this.#clock = clock
  }

  /** Lets the condition end without an entry. */
  forget(name: ConditionName): void {
    this.#noted.delete(name)
  }

  awaitAnswer(name: ConditionName): void {
    if (this.#noted.has(name)) this.#awaitingAnswer.add(name)
  }

  /** Returns whether the end of the condition waited for this answer. */
  noteAnswer(name: ConditionName): boolean {
    return this.#awaitingAnswer.delete(name)
  }

  /** Call while the disk is full. `noteChanges` later writes the entries of the start and the end. */
  noteLater(name: ConditionName, problem: Problem): void {
    if (this.#noted.has(name)) return
    const sinceMs = this.#clock.wallMs()
    this.#noted.set(name, { code: problem.code, problem, sinceMs, isStartUnwritten: true })
  }

  /**
   * Writes entries for all changes. `stateOf` returns the problem of a condition, `brief` if it is too short for an
   * entry, or null if there is no such condition.
   */
  noteChanges(stateOf: (name: ConditionName) => Problem | 'brief' | null): void {
    const { activity } = this.#journal
    for (const name of conditionNames) {
      const problem = stateOf(name)
      const noted = this.#noted.get(name)
      if (problem === 'brief') continue
      if (problem !== null) {
        this.#awaitingAnswer.delete(name)
        if (noted?.code === problem.code) continue
        activity.note({ kind: 'condition-began', condition: name, problem }, { requestId: problem.requestId })
        const sinceMs = noted?.sinceMs ?? this.#clock.wallMs()
        this.#noted.set(name, { code: problem.code, problem, sinceMs, isStartUnwritten: false })
      } else if (noted !== undefined && !this.#awaitingAnswer.has(name)) {
        const { sinceMs, isStartUnwritten } = noted
        if (isStartUnwritten)
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
