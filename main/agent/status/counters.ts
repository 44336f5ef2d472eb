import type { ProblemCode } from '../../../shared/status/problem.ts'
import type { Journal } from '../journal/journal.ts'

/** Counters since the start of the agent. Prometheus expects counters to restart at zero. */
export class Counters {
  readonly failures = new Map<ProblemCode, number>()
  processed = 0

  constructor(journal: Journal) {
    const { onStep, onNote } = journal
    journal.onStep = (id, step, ...rest) => {
      onStep?.(id, step, ...rest)
      if (step.from === step.to) return
      if (step.to === 'processed') this.processed += 1
      if (step.to === 'failed') this.#countFailure(step.problem ?? 'unexpected')
      // A missing file without a problem is no failure: for example, a user had dismissed it.
      if (step.to === 'gone' && step.problem !== null) this.#countFailure(step.problem)
    }
    journal.onNote = (kind, note, about) => {
      onNote?.(kind, note, about)
      if (note.kind === 'held' || note.kind === 'condition-began') this.#countFailure(note.problem.code)
    }
  }

  #countFailure(code: ProblemCode): void {
    this.failures.set(code, (this.failures.get(code) ?? 0) + 1)
  }
}
