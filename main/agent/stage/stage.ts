import type { Paths } from '../../../shared/paths/paths.ts'
import type { Settings } from '../../../shared/settings/settings.ts'
import type { RecordingState } from '../../../shared/status/status.ts'
import { FAILED_STEP_RETRY_DELAY_MS, FULL_DISK_RETRY_DELAY_MS } from '../domain/retry-limits.ts'
import type { Journal } from '../journal/journal.ts'
import type { Clock, Log, Random } from '../ports/clock.ts'
import type { FileOperations, Files } from '../ports/files.ts'
import type { FolderAccess } from '../ports/folders.ts'
import type { HashThreads, RunningHashes } from '../ports/hashing.ts'
import type { InspectionThread } from '../ports/inspection.ts'
import type { MonitoringWorld } from '../ports/monitoring.ts'
import type { ServiceClient } from '../ports/service.ts'
import type { ProgressBoard, StationConditions } from '../ports/station.ts'
import type { UpdateWorld } from '../ports/updates.ts'
import type { Webhooks } from '../ports/webhooks.ts'
import type { ReportError } from './error-reporter.ts'
import type { FolderOf } from './folder-of.ts'
import type { Slots } from './slots.ts'
import type { VanishedRecordings } from './vanished-recordings.ts'

/**
 * Wakes a stage when there may be work. A lost hint only delays the work, because every stage also checks on its own
 * schedule.
 */
export class Wakeup {
  #hasHint = false
  #endWait: (() => void) | null = null

  hint(): void {
    this.#hasHint = true
    this.#endWait?.()
  }

  /**
   * Waits for a hint, but at most `ms`. Returns at once if a hint came since the last wait. An abort also ends the
   * wait.
   */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    // Uses a plain timer, because an aborted sleep creates an error with a stack. There may be thousands of hints, and
    // each would abort a sleep.
    if (!this.#hasHint && !signal.aborted)
      await new Promise<void>((resolve) => {
        const wake = () => {
          clearTimeout(timer)
          signal.removeEventListener('abort', wake)
          this.#endWait = null
          resolve()
        }
        const timer = setTimeout(wake, ms)
        this.#endWait = wake
        signal.addEventListener('abort', wake, { once: true })
      })
    this.#hasHint = false
  }
}

export type Stage = {
  readonly name: string
  /** There may be work for this stage when a recording enters one of these states or changes while in it. */
  readonly states: readonly RecordingState[]
  /** Does the work that is due. Returns the milliseconds until the next step. A hint starts the next step earlier. */
  readonly step: (signal: AbortSignal) => Promise<number>
  /** Ends the running work or waits for it. Called once, after the last step. */
  readonly close?: () => void | Promise<void>
}

/** All dependencies of the stages. */
export type StageWorld = {
  readonly journal: Journal
  readonly station: StationConditions
  readonly service: () => ServiceClient | null
  readonly settings: () => Settings | null
  readonly folderOf: FolderOf
  readonly files: Files
  readonly operations: FileOperations
  readonly folderAccess: Pick<FolderAccess, 'volumeOf'>
  readonly hashing: HashThreads
  readonly runningHashes: RunningHashes
  readonly inspection: InspectionThread
  readonly progress: ProgressBoard
  readonly webhooks: Webhooks
  readonly monitoring: MonitoringWorld
  readonly updates: UpdateWorld
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** Whether this PC runs on battery. False if the system does not know. */
  readonly onBattery: () => Promise<boolean>
  readonly newKey: () => string
  readonly hostName: string
  readonly paths: Paths
  readonly dataFolder: string
  /** Sessions whose missing parts and upload URLs Sluice already knows, so the uploader need not request them. */
  readonly sessionsWithNewUrls: Set<string>
  readonly vanished: VanishedRecordings
  readonly slots: Slots
  readonly throttle: (bytes: number, signal: AbortSignal) => Promise<void>
  /** Ends early, without an error, when the signal aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
  /** Runs work and reports its errors like those of a step. */
  readonly guard: (where: string, work: () => void) => void
  /** Wakes the stages that handle this state; null wakes all. */
  readonly wake: (state: RecordingState | null) => void
  /** Call this after Sluice itself changed files in this folder. */
  readonly rescan: (folder: string) => void
}

/** A stage with its dependencies. */
export abstract class StageOf<Needs extends keyof StageWorld> {
  protected readonly world: Pick<StageWorld, Needs>

  constructor(world: Pick<StageWorld, Needs>) {
    this.world = world
  }
}

/** Dependencies for handling a failed step. */
type StepErrorHandling = { readonly reportError: ReportError; readonly journal: Pick<Journal, 'whenFree'> }

/**
 * Runs a stage until the signal aborts. Neither a bug nor a full disk ends the stage: the error is reported, and the
 * step is retried.
 */
const run = async (
  stage: Stage,
  wakeup: Wakeup,
  signal: AbortSignal,
  { reportError, journal }: StepErrorHandling,
): Promise<void> => {
  while (!signal.aborted) {
    let waitMs: number
    try {
      waitMs = await stage.step(signal)
    } catch (error) {
      const cause = reportError(error, stage.name)
      if (cause === 'busy') {
        // Do not start a step while the journal is locked, because the step may send requests before it writes.
        await journal.whenFree(signal)
        continue
      }
      waitMs = cause === 'disk-full' ? FULL_DISK_RETRY_DELAY_MS : FAILED_STEP_RETRY_DELAY_MS
    }
    await wakeup.wait(waitMs, signal)
  }
  await stage.close?.()
}

export type RunningStage = {
  readonly states: readonly RecordingState[]
  readonly wakeup: Wakeup
  /** Ends the stage after its current step. */
  readonly stop: () => Promise<void>
}

export const runStage = (
  stage: Stage,
  errorHandling: StepErrorHandling,
  wakeup = new Wakeup(),
): RunningStage => {
  const controller = new AbortController()
  const ended = run(stage, wakeup, controller.signal, errorHandling)
  return {
    states: stage.states,
    wakeup,
    stop: () => {
      controller.abort()
      return ended
    },
  }
}
