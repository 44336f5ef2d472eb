import { setTimeout as sleep } from 'node:timers/promises'
import { type Failure, failed, type Outcome } from '../../domain/failure.ts'
import { type DriveCalls, DriveTimeoutError } from '../files/drive-calls.ts'
import { fileFailure } from '../files/file-failure.ts'
import type { HashJob } from './hash-job.ts'
import { type HashPair, type PairAnswer, startHashPair } from './hash-pair.ts'

const CHECK_INTERVAL_MS = 250
/**
 * After this many checks without progress, the drive counts as hung. Sluice counts checks, because a time limit could
 * pass while the PC sleeps.
 */
const HUNG_AFTER_TICKS = 240
/**
 * Idle threads use 5 to 30 MB, so they end after this time. If a new file follows every few seconds, they keep running,
 * which saves a restart of 0.1 s per file.
 */
const IDLE_THREADS_MS = 30_000
/** The shutdown waits at most this long, because a thread that hangs on a dead share cannot be ended. */
const CLOSE_TIMEOUT_MS = 2000

export const cancelled = failed({ kind: 'cancelled' })

export type PairQueueOptions = {
  /** Called four times a second. True while a recorder is writing. */
  readonly shouldYield: () => boolean
  /** See `stateOf` in `own-copies.ts`. */
  readonly ownCopies?: ((device: string) => number) | undefined
  /** While this returns true, idle threads keep running, because they hold hash states. */
  readonly isNeeded?: () => boolean
  /** Called when the threads have ended or crashed: their hash states are lost. */
  readonly onEnded?: () => void
  readonly hungAfterTicks?: number | undefined
  readonly calls: DriveCalls
}

/** The queue for the two threads of a pair: one file at a time, in order. */
export class PairQueue {
  readonly #options: PairQueueOptions
  readonly #closing = new AbortController()
  #pair: HashPair | null = null
  #lastJob: Promise<unknown> = Promise.resolve()
  #idleTimer: NodeJS.Timeout | undefined

  constructor(options: PairQueueOptions) {
    this.#options = options
  }

  get closing(): AbortSignal {
    return this.#closing.signal
  }

  /** If the signal aborts, returns `cancelled` at once. The next job still waits until the threads are free. */
  run<T>(
    request: {
      /** Called when it is this request's turn. Null if nothing is left to do. */
      readonly job: () => Omit<HashJob, 'ring'> | null
      readonly onSlots?: (slots: number) => void
      readonly signal: AbortSignal
    },
    toOutcome: (answer: PairAnswer | null) => Outcome<T>,
  ): Promise<Outcome<T>> {
    const signal = AbortSignal.any([request.signal, this.closing])
    const result = this.#lastJob.then(async () => {
      if (signal.aborted) return cancelled
      const job = request.job()
      if (job === null) return toOutcome(null)
      if (this.#options.calls.isHung(job.root)) return failed(timeoutFailure(new DriveTimeoutError()))
      const answer = await this.#work(job, request.onSlots ?? (() => {}), signal).catch(timeoutFailure)
      if (answer === null) return cancelled
      return 'kind' in answer ? failed(answer) : toOutcome(answer)
    })
    this.#lastJob = result.catch(() => {})
    return unlessAborted(result, signal)
  }

  forget(hashId: number): void {
    this.#pair?.forget(hashId)
  }

  async close(): Promise<void> {
    this.#closing.abort()
    clearTimeout(this.#idleTimer)
    const ended = this.#lastJob.then(() => this.#end())
    await Promise.race([ended, sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })])
  }

  async #work(
    job: Omit<HashJob, 'ring'>,
    onSlots: (slots: number) => void,
    signal: AbortSignal,
  ): Promise<PairAnswer | null> {
    clearTimeout(this.#idleTimer)
    this.#pair ??= startHashPair()
    const { ring, run } = this.#pair
    const { shouldYield, ownCopies = () => 0 } = this.#options
    ring.reset()
    const updateRing = () => {
      ring.setOwnCopies(ownCopies(job.identity.device))
      ring.setYielding(shouldYield())
    }
    updateRing()
    let pulse = ring.pulse()
    let ticksWithoutProgress = 0
    const hung = Promise.withResolvers<never>()
    const timer = setInterval(() => {
      ticksWithoutProgress = ring.pulse() === pulse ? ticksWithoutProgress + 1 : 0
      pulse = ring.pulse()
      if (ticksWithoutProgress >= (this.#options.hungAfterTicks ?? HUNG_AFTER_TICKS))
        hung.reject(new DriveTimeoutError())
      updateRing()
      if (!signal.aborted) onSlots(Math.min(ring.filledSlots(), ring.emptiedSlots()))
    }, CHECK_INTERVAL_MS)
    signal.addEventListener('abort', ring.stop, { once: true })
    try {
      const answer = run(job)
      // Hung threads cannot be ended, so their drive counts as hung until they answer. `#end` drops this pair. The
      // next file gets new threads, so files on other drives need not wait.
      hung.promise.catch(() => this.#options.calls.addHungWork(job.root, answer))
      return await Promise.race([answer, hung.promise])
    } catch (error) {
      void this.#end()
      if (signal.aborted) return null
      throw error
    } finally {
      clearInterval(timer)
      signal.removeEventListener('abort', ring.stop)
      this.#endWhenIdle()
    }
  }

  #endWhenIdle(): void {
    clearTimeout(this.#idleTimer)
    this.#idleTimer = setTimeout(() => {
      if (this.#options.isNeeded?.() === true) this.#endWhenIdle()
      else void this.#end()
    }, IDLE_THREADS_MS).unref()
  }

  async #end(): Promise<void> {
    const pair = this.#pair
    this.#pair = null
    this.#options.onEnded?.()
    await pair?.dispose()
  }
}

/** An error other than a drive timeout is a bug. */
const timeoutFailure = (error: unknown): Failure => {
  if (error instanceof DriveTimeoutError) return fileFailure(error)
  throw error
}

/**
 * Resolves with the outcome of the work, or with `cancelled` once the signal aborts. When the work ends, removes the
 * listener from the signal, to free memory.
 */
export const unlessAborted = <T>(work: Promise<Outcome<T>>, signal: AbortSignal): Promise<Outcome<T>> =>
  new Promise((resolve, reject) => {
    const giveUp = () => resolve(cancelled)
    if (signal.aborted) giveUp()
    else signal.addEventListener('abort', giveUp, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp))
  })
