import { type ConditionName, conditionNames } from '../../../shared/status/conditions.ts'
import type { Problem, ProblemCode } from '../../../shared/status/problem.ts'
import type { Journal } from '../journal/journal.ts'
import type { Clock } from '../ports/clock.ts'

type NotedCondition = {
  readonly code: ProblemCode
  readonly problem: Problem
  readonly sinceMs: number
  /** True if the disk was too full to write the entry of the start. */
  readonly isStartUnwritten: boolean
}

/** The activity entries of the station's conditions: one when a condition begins, changes its code or ends. */
export class ConditionActivity {
  readonly #journal: Journal
  readonly #clock: Pick<Clock, 'wallMs'>
  /** Conditions that have begun, and whose end is not in the activity yet. */
  readonly #noted = new Map<ConditionName, NotedCondition>()
  /**
   * Conditions of the control API or the storage that began before the last change of connection. The entry of their
   * end is written only after the same remote side has answered over the new connection.
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

  /**
   * Call when the control API or the storage has answered. Returns whether the end of its condition waited for this
   * answer.
   */
  noteAnswer(name: ConditionName): boolean {
    return this.#awaitingAnswer.delete(name)
  }

  /** Call while the disk is full: `noteChanges` later writes the entries of the start and the end together. */
  noteLater(name: ConditionName, problem: Problem): void {
    if (this.#noted.has(name)) return
    const sinceMs = this.#clock.wallMs()
    this.#noted.set(name, { code: problem.code, problem, sinceMs, isStartUnwritten: true })
  }

  /**
   * Writes entries for all changes. `stateOf` returns the problem of a condition, null if the condition does not
   * apply, or `brief` if it ends so soon that it gets no entry.
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
