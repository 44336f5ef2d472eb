import type { RecordingState } from '../../../shared/status/status.ts'
import { FAILED_JOB_RETRY_DELAY_MS } from '../domain/retry-limits.ts'
import type { UploadLane } from '../domain/upload-lane.ts'
import type { StageWorld } from './stage.ts'

/** The running work of a stage. Each recording has its own job, so that a hung call blocks only this recording. */
export class Jobs {
  readonly #world: Pick<StageWorld, 'journal' | 'clock' | 'guard' | 'wake'>
  readonly #state: RecordingState
  readonly #running = new Map<number, { readonly lane: UploadLane['name']; readonly ended: Promise<void> }>()

  /** The end of a job wakes the stages that handle `state`. */
  constructor(world: Pick<StageWorld, 'journal' | 'clock' | 'guard' | 'wake'>, state: RecordingState) {
    this.#world = world
    this.#state = state
  }

  get ids(): readonly number[] {
    return [...this.#running.keys()]
  }

  count(lane: UploadLane['name']): number {
    let jobs = 0
    for (const job of this.#running.values()) if (job.lane === lane) jobs += 1
    return jobs
  }

  /**
   * Starts a job, unless the recording already has one. If the work throws, the recording waits. If a locked journal
   * cannot store this wait, the job itself waits, because it would otherwise restart at once.
   */
  begin(
    recordingId: number,
    where: string,
    work: () => Promise<void>,
    lane: UploadLane['name'] = 'other',
  ): void {
    if (this.#running.has(recordingId)) return
    const { journal, clock, guard, wake } = this.#world
    const ended = work()
      .catch((error: unknown) => {
        guard(where, () => {
          throw error
        })
        guard(where, () =>
          journal.recordings.patch(recordingId, {
            nextAttemptAtMs: clock.wallMs() + FAILED_JOB_RETRY_DELAY_MS,
          }),
        )
        return journal.isLocked ? journal.whenFree(AbortSignal.timeout(FAILED_JOB_RETRY_DELAY_MS)) : undefined
      })
      .finally(() => {
        this.#running.delete(recordingId)
        wake(this.#state)
      })
    this.#running.set(recordingId, { lane, ended })
  }

  async ended(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ ended }) => ended))
  }
}
