import { findDeviations } from '../domain/find-deviations.ts'
import { INSPECTION_RETRY_DELAY_MS } from '../domain/retry-policy.ts'
import type { Recording } from '../journal/journal.ts'
import { StageOf } from '../stage/stage.ts'

const IDLE_MS = 10_000

/**
 * Inspects each finished recording, one at a time, and compares it with the expectation of its folder. The upload
 * does not wait for the inspection. The journal stores which inspections are due, so a crash loses none.
 */
export class Inspector extends StageOf<'journal' | 'inspection' | 'folderOf' | 'clock'> {
  readonly name = 'inspector'
  readonly takes = ['queued'] as const

  async step(signal: AbortSignal): Promise<number> {
    const { journal } = this.world
    for (let id = journal.inspections.nextDue(); id !== null; id = journal.inspections.nextDue()) {
      if (signal.aborted) return 0
      const recording = journal.recordings.byId(id)
      if (recording?.current === true && recording.removedAtMs === null && recording.state !== 'growing')
        await this.#inspect(recording, signal)
      else await journal.commit(() => journal.inspections.forget(id!))
    }
    return IDLE_MS
  }

  async #inspect({ id, path, folder, identity }: Recording, signal: AbortSignal): Promise<void> {
    const { journal, inspection, folderOf, clock } = this.world
    const outcome = await inspection.inspect({ path, identity, signal })
    if (signal.aborted) return
    await journal.commit(() => {
      if (outcome.ok)
        journal.inspections.save(id, outcome.value, findDeviations(outcome.value, folderOf(folder)?.expect))
      else if (outcome.failure.kind === 'file-busy')
        journal.inspections.postpone(id, clock.wallMs() + INSPECTION_RETRY_DELAY_MS)
      else journal.inspections.forget(id)
    })
  }
}
