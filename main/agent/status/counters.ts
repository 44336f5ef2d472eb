import type { ProblemCode } from '../../../shared/status/status.ts'
import type { Journal } from '../journal/journal.ts'

/** What is counted since the agent started. A counter that begins anew is what those who read it expect. */
export class Counters {
  readonly failures = new Map<ProblemCode, number>()
  processed = 0

  /** Listens beside whoever listens already. */
  constructor(journal: Journal) {
    const { onStep, onNote } = journal
    journal.onStep = (id, step, ...rest) => {
      onStep?.(id, step, ...rest)
      if (step.from === step.to) return
      if (step.to === 'processed') this.processed += 1
      if (step.to === 'failed' || step.to === 'gone') this.#failed(step.problem ?? 'unexpected')
    }
    journal.onNote = (kind, note, about) => {
      onNote?.(kind, note, about)
      if (note.kind === 'held' || note.kind === 'condition-began') this.#failed(note.problem.code)
    }
  }

  #failed(code: ProblemCode): void {
    this.failures.set(code, (this.failures.get(code) ?? 0) + 1)
  }
}
