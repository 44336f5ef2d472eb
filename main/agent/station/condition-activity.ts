import { type ConditionName, conditionNames } from '../../../shared/status/conditions.ts'
import type { Problem, ProblemCode } from '../../../shared/status/status.ts'
import type { Journal } from '../journal/journal.ts'
import type { Clock } from '../ports/clock.ts'

type Noted = {
  readonly code: ProblemCode
  readonly problem: Problem
  readonly sinceMs: number
  readonly late: boolean
}

/** The activity entries of the station's conditions: one when a condition begins, changes its code or ends. */
export class ConditionActivity {
  readonly #journal: Journal
  readonly #clock: Pick<Clock, 'wallMs'>
  /**
   * Conditions whose start is in the activity and whose end is not. `late`: the disk was too full to write the
   * entry of the start.
   */
  readonly #noted = new Map<ConditionName, Noted>()
  /** After a change of connection, these conditions end in the activity only once the new connection has answered. */
  readonly #unproven = new Set<ConditionName>()

  constructor(journal: Journal, clock: Pick<Clock, 'wallMs'>) {
    this.#journal = journal
    this.#clock = clock
  }

  /** The condition ends without an entry. */
  forget(name: ConditionName): void {
    this.#noted.delete(name)
  }

  awaitProof(name: ConditionName): void {
    if (this.#noted.has(name)) this.#unproven.add(name)
  }

  /** The new connection has answered. Returns whether the condition waited for this. */
  prove(name: ConditionName): boolean {
    return this.#unproven.delete(name)
  }

  /** For a full disk: `noteChanges` writes the entry of the start together with that of the end. */
  noteLater(name: ConditionName, problem: Problem): void {
    if (this.#noted.has(name)) return
    this.#noted.set(name, { code: problem.code, problem, sinceMs: this.#clock.wallMs(), late: true })
  }

  /** `stateOf`: the problem of a condition, null if it does not apply. A brief condition has no entries. */
  noteChanges(stateOf: (name: ConditionName) => Problem | 'brief' | null): void {
    const { activity } = this.#journal
    for (const name of conditionNames) {
      const problem = stateOf(name)
      const noted = this.#noted.get(name)
      if (problem === 'brief') continue
      if (problem !== null) {
        this.#unproven.delete(name)
        if (noted?.code === problem.code) continue
        activity.note({ kind: 'condition-began', condition: name, problem }, { requestId: problem.requestId })
        const sinceMs = noted?.sinceMs ?? this.#clock.wallMs()
        this.#noted.set(name, { code: problem.code, problem, sinceMs, late: false })
      } else if (noted !== undefined && !this.#unproven.has(name)) {
        const { sinceMs, late } = noted
        if (late)
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
