import { MAX_ROSBAG2_METADATA_BYTES, rosbag2Files } from '../../../shared/paths/rosbag2-files.ts'
import type { Inspection } from '../../../shared/status/inspection.ts'
import { type FileIdentity, sameFile } from '../domain/file-identity.ts'
import { findDeviations } from '../domain/find-deviations.ts'
import { checkSeries } from '../domain/image-series.ts'
import { CUT_OFF_REASON } from '../domain/problems.ts'
import { INSPECTION_RETRY_DELAY_MS } from '../domain/retry-limits.ts'
import { ROSBAG2_MARKER } from '../domain/takes.ts'
import { type Comparison, compareWithUsual, type PastTake } from '../domain/usual-takes.ts'
import type { Recording } from '../journal/journal.ts'
import { holdDeviatingTake, releaseInspectedTake } from '../stage/held-takes.ts'
import { StageOf } from '../stage/stage.ts'

const IDLE_MS = 10_000
/**
 * Sluice compares only recent recordings with the usual content of their folder. A report about an older recording
 * comes too late to repeat the recording.
 */
const LONGEST_COMPARED_AGE_MS = 24 * 3_600_000
/** The comparison uses up to 30 recordings of one kind. Sluice reads more, because a folder may have several kinds. */
const PAST_TAKES = 60

/** If a take has more images, Sluice does not check their series: the check runs often and must stay cheap. */
const MAX_SERIES_IMAGES = 20_000

const reported = (deviations: readonly string[]): Comparison => ({ deviations, isAccepted: false })

/**
 * Hard case: A copied rosbag2 folder gets its `metadata.yaml` last, after Sluice has reported the bag as cut off.
 * The watcher requests the inspection again when the metadata appears or changes. If the metadata lists the file, the
 * report and the hold end.
 */

/**
 * Inspects recordings one at a time, once they have settled or their recorder has closed them. Compares each recording
 * with the expectation of its folder, or with the folder's usual content. The upload waits for the inspection only if
 * the folder's `on_deviation` is `hold`. The journal stores which inspections are due, so a crash loses none.
 */
export class Inspector extends StageOf<
  'journal' | 'inspection' | 'files' | 'paths' | 'folderOf' | 'clock' | 'random' | 'station' | 'runningHashes'
> {
  readonly name = 'inspector'
  readonly states = ['growing', 'queued'] as const
  /** The inspections of the last comparison, kept because the next comparison needs almost the same ones. */
  #lastInspections: ReadonlyMap<number, Inspection> = new Map()
  /** The takes whose series may have changed. Null until the first step, which adds every unfinished take. */
  #uncheckedTakes: Set<string> | null = null

  async step(signal: AbortSignal): Promise<number> {
    const { journal } = this.world
    this.#uncheckedTakes ??= new Set(journal.takes.unfinished())
    for (let id = journal.inspections.nextDue(); id !== null; id = journal.inspections.nextDue()) {
      if (signal.aborted) return 0
      const recording = journal.recordings.byId(id)
      const isFinished = recording?.state !== 'growing' || journal.inspections.isEarly(id)
      if (recording?.current === true && recording.removedAtMs === null && isFinished)
        await this.#inspect(recording, signal)
      else await journal.commit(() => journal.inspections.forget(id!))
    }
    for (const take of this.#uncheckedTakes) {
      // Inspect new recordings first: their reports must not wait for the checks of many takes.
      if (signal.aborted || journal.inspections.nextDue() !== null) return 0
      // The check compares all images of the take, so it waits until the last one is inspected.
      if (journal.inspections.isUnfinished(take)) continue
      await journal.commit(() => this.#checkSeries(take))
      this.#uncheckedTakes.delete(take)
    }
    return IDLE_MS
  }

  async #inspect(recording: Recording, signal: AbortSignal): Promise<void> {
    const { journal, inspection, clock } = this.world
    const { id, path, identity } = recording
    const metadata = this.#metadataBeside(recording)
    const outcome = await inspection.inspect({ path, identity, signal })
    const result = outcome.ok ? await this.#markIfCrashed(recording, outcome.value) : null
    if (signal.aborted) return
    const comparison = result === null ? reported([]) : this.#compare(recording, result)
    await journal.commit(() => {
      const current = journal.recordings.byId(id)
      // If the file changed during the inspection, ignore the result. Sluice inspects the file again when it settles.
      if (current === null || !sameFile(current.identity, identity)) return
      const newMetadata = this.#metadataBeside(recording)
      // If the metadata arrived or changed during the inspection, the inspection stays due.
      if (newMetadata !== null && (metadata === null || !sameFile(newMetadata, metadata))) return
      if (result !== null) this.#save(recording, result, comparison)
      else if (!outcome.ok && ['file-busy', 'drive-away'].includes(outcome.failure.kind))
        journal.inspections.postpone(id, clock.wallMs() + INSPECTION_RETRY_DELAY_MS)
      else {
        journal.inspections.forget(id)
        this.#release(id)
      }
    })
    if (recording.take !== null) this.#uncheckedTakes?.add(recording.take)
  }

  /** Call this only after all images of the take have been inspected. */
  #checkSeries(take: string): void {
    const { inspections } = this.world.journal
    const images = inspections.imagesIn(take, MAX_SERIES_IMAGES)
    const reports = new Map(checkSeries(images).map(({ id, warnings }) => [id, warnings]))
    for (const { id, isReported } of images)
      if (isReported || reports.has(id)) inspections.setSeriesWarnings(id, reports.get(id) ?? [])
  }

  #save({ id, folder }: Recording, inspection: Inspection, { deviations, isAccepted }: Comparison): void {
    const { journal, folderOf, runningHashes } = this.world
    const mayBeUploaded = journal.inspections.save(id, inspection, deviations, isAccepted)
    const current = journal.recordings.byId(id)
    if (folderOf(folder)?.on_deviation !== 'hold' || current?.state !== 'queued') return
    if (mayBeUploaded) {
      this.#release(id)
      return
    }
    // A user may decide a day later. Until then, the digests would occupy memory and be of no use.
    for (const heldId of holdDeviatingTake(this.world, current)) runningHashes.forget(heldId)
  }

  /**
   * Marks a file of a take as cut off if the settler reported it as cut off, and the bag's metadata does not list it.
   * The inspection cannot see a crash of the recorder, because each file of the take may still have its end mark.
   */
  async #markIfCrashed(recording: Recording, inspection: Inspection): Promise<Inspection> {
    const { id, take, state } = recording
    // A growing file has not settled yet, or was replaced since it settled.
    if (take === null || state === 'growing') return inspection
    const settled = this.world.journal.views.timeline(id).findLast(({ from }) => from === 'growing')
    if (settled?.reason !== CUT_OFF_REASON || (await this.#isListedInMetadata(recording))) return inspection
    return { ...inspection, completeness: 'cut-off' }
  }

  #metadataPath({ path }: Recording): string {
    const { paths } = this.world
    return paths.join(paths.resolve(path, '..'), ROSBAG2_MARKER)
  }

  #metadataBeside(recording: Recording): FileIdentity | null {
    if (!/\.(?:db3|mcap)$/i.test(recording.name)) return null
    return this.world.journal.recordings.currentByPath(this.#metadataPath(recording))?.identity ?? null
  }

  /** Whether the bag's metadata lists the file. If so, the recorder has closed the bag and did not crash. */
  async #isListedInMetadata(recording: Recording): Promise<boolean> {
    const { files, paths } = this.world
    const metadata = await files.readText(this.#metadataPath(recording), MAX_ROSBAG2_METADATA_BYTES)
    if (!metadata.ok || metadata.value === null) return false
    return rosbag2Files(metadata.value).files.includes(paths.nameOf(recording.path))
  }

  /** Lets the hasher start if every file of the take may be uploaded. With `hold`, the hasher waits for this call. */
  #release(id: number): void {
    const { journal } = this.world
    const current = journal.recordings.byId(id)
    if (current?.state === 'queued') releaseInspectedTake(journal, current)
  }

  #compare(recording: Recording, inspection: Inspection): Comparison {
    const { folderOf, clock } = this.world
    const { name, identity } = recording
    const folder = folderOf(recording.folder)
    if (folder === undefined || folder.on_deviation === 'off') return reported([])
    if (folder.expect !== undefined) return reported(findDeviations(inspection, folder.expect))
    const ageMs = clock.wallMs() - Number(identity.mtimeNs) / 1e6
    if (ageMs > LONGEST_COMPARED_AGE_MS) return reported([])
    // With `hold`, compare only with recordings that did not deviate, or that a user decided to upload. Otherwise a
    // held deviation would become usual, and Sluice would upload the next one without a decision.
    const which = folder.on_deviation === 'hold' ? 'clear' : 'all'
    const past = this.#pastTakes(recording, which)
    return compareWithUsual({ name, sizeBytes: identity.sizeBytes, inspection }, past)
  }

  #pastTakes({ id, folder }: Recording, which: 'all' | 'clear'): readonly PastTake[] {
    const { inspections, pastInspections } = this.world.journal
    const takes = pastInspections.pastIn(folder, id, PAST_TAKES, which).flatMap((past) => {
      const inspection = this.#lastInspections.get(past.id) ?? inspections.of(past.id)
      return inspection === null ? [] : [{ ...past, inspection }]
    })
    // Do not keep the inspection of this recording: a second inspection may have a different result.
    this.#lastInspections = new Map(takes.map((take) => [take.id, take.inspection]))
    return takes
  }
}
