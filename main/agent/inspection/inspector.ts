import type { Inspection } from '../../../shared/status/inspection.ts'
import { findDeviations } from '../domain/find-deviations.ts'
import { noHold } from '../domain/problems.ts'
import { INSPECTION_RETRY_DELAY_MS } from '../domain/retry-limits.ts'
import { type Comparison, compareWithUsual, type PastTake } from '../domain/usual-takes.ts'
import type { Recording } from '../journal/journal.ts'
import { holdDeviatingTake } from '../stage/held-takes.ts'
import { StageOf } from '../stage/stage.ts'

const IDLE_MS = 10_000
/** Nobody can repeat an older recording. A folder that is watched for the first time may hold thousands of them. */
const LONGEST_COMPARED_AGE_MS = 24 * 3_600_000
/** A folder may hold several kinds of recordings, and the comparison needs 30 of one kind. */
const PAST_TAKES = 60

const reported = (deviations: readonly string[]): Comparison => ({ deviations, isAccepted: false })

/**
 * Inspects each finished recording, one at a time, and compares it with the expectation of its folder, or with
 * what the folder usually holds. The upload waits for the inspection only if the folder holds deviating recordings. The
 * journal stores which inspections are due, so a crash loses none.
 */
export class Inspector extends StageOf<
  'journal' | 'inspection' | 'folderOf' | 'clock' | 'random' | 'station' | 'runningHashes'
> {
  readonly name = 'inspector'
  readonly takes = ['queued'] as const
  /** The inspections of the last comparison, because the next comparison needs almost the same inspections. */
  #lastInspections: ReadonlyMap<number, Inspection> = new Map()

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

  async #inspect(recording: Recording, signal: AbortSignal): Promise<void> {
    const { journal, inspection, clock } = this.world
    const { id, path, identity } = recording
    const outcome = await inspection.inspect({ path, identity, signal })
    if (signal.aborted) return
    const comparison = outcome.ok ? this.#compare(recording, outcome.value) : reported([])
    await journal.commit(() => {
      if (outcome.ok) this.#save(recording, outcome.value, comparison)
      else if (outcome.failure.kind === 'file-busy')
        journal.inspections.postpone(id, clock.wallMs() + INSPECTION_RETRY_DELAY_MS)
      else {
        journal.inspections.forget(id)
        this.#release(id)
      }
    })
  }

  #save({ id, folder }: Recording, inspection: Inspection, { deviations, isAccepted }: Comparison): void {
    const { journal, folderOf, runningHashes } = this.world
    journal.inspections.save(id, inspection, deviations, isAccepted)
    const current = journal.recordings.byId(id)
    if (folderOf(folder)?.on_deviation !== 'hold' || current?.state !== 'queued') return
    if (deviations.length === 0 || isAccepted) {
      this.#release(id)
      return
    }
    holdDeviatingTake(this.world, current)
    // A user may decide tomorrow. Until then, the digest would only take memory.
    runningHashes.forget(id)
  }

  /** Ends the wait of the hasher for the inspection. */
  #release(id: number): void {
    const { recordings } = this.world.journal
    const current = recordings.byId(id)
    if (current?.state === 'queued' && current.problem === null) recordings.patch(id, noHold)
  }

  #compare(recording: Recording, inspection: Inspection): Comparison {
    const { folderOf, clock } = this.world
    const { name, identity } = recording
    const folder = folderOf(recording.folder)
    if (folder === undefined || folder.on_deviation === 'off') return reported([])
    if (folder.expect !== undefined) return reported(findDeviations(inspection, folder.expect))
    const ageMs = clock.wallMs() - Number(identity.mtimeNs) / 1e6
    if (ageMs > LONGEST_COMPARED_AGE_MS) return reported([])
    // A held recording is never sent without a decision. So recordings that nobody decided to upload accept nothing,
    // and do not become usual.
    const which = folder.on_deviation === 'hold' ? 'clear' : 'all'
    const past = this.#pastTakes(recording, which)
    return compareWithUsual({ name, sizeBytes: identity.sizeBytes, inspection }, past)
  }

  #pastTakes({ id, folder }: Recording, which: 'all' | 'clear'): readonly PastTake[] {
    const { inspections } = this.world.journal
    const takes = inspections.pastIn(folder, id, PAST_TAKES, which).flatMap((past) => {
      const inspection = this.#lastInspections.get(past.id) ?? inspections.of(past.id)
      return inspection === null ? [] : [{ ...past, inspection }]
    })
    // This recording is not included, because a second inspection of it may have a different result.
    this.#lastInspections = new Map(takes.map((take) => [take.id, take.inspection]))
    return takes
  }
}
