import { setTimeout as sleep } from 'node:timers/promises'
import { type Failure, failed, type Outcome } from '../../domain/failure.ts'
import { type DriveCalls, DriveSilentError } from '../files/drive-calls.ts'
import { fileFailure } from '../files/file-failure.ts'
import type { HashJob } from './hash-job.ts'
import { type HashPair, type PairAnswer, startHashPair } from './hash-pair.ts'

const lookEveryMs = 250
/** So many looks without a sign of life from either thread: the drive does not answer. Looks, since a PC may sleep. */
const silentLooks = 240
/**
 * Two waiting threads hold 5 to 30 MB; starting them again costs a tenth of a second of both cores. A recorder that cuts
 * its recordings every few seconds would pay that for each.
 */
const idleThreadsEndMs = 30_000
/** A thread stuck in a read of a dead share cannot be ended; leaving must not wait for it. */
const closeWithinMs = 2000

export const cancelled = failed({ kind: 'cancelled' })

export type PairQueueOptions = {
  /** Asked four times a second: true while a recorder is writing. */
  readonly shouldYield: () => boolean
  /** What own-copies.ts says of a drive. */
  readonly ownCopies?: ((device: string) => number) | undefined
  /** Threads that hold something for later are not ended when they are idle. */
  readonly isNeeded?: () => boolean
  /** A thread died, or the threads were ended: whatever they held is gone. */
  readonly onEnded?: () => void
  readonly silentLooks?: number | undefined
  readonly calls: DriveCalls
}

/** The two threads of a pair and who waits for them: one file at a time, in the order asked. */
export class PairQueue {
  readonly #options: PairQueueOptions
  readonly #closing = new AbortController()
  #pair: HashPair | null = null
  #last: Promise<unknown> = Promise.resolve()
  #idle: NodeJS.Timeout | undefined

  constructor(options: PairQueueOptions) {
    this.#options = options
  }

  get closing(): AbortSignal {
    return this.#closing.signal
  }

  /** A caller that gives up is answered at once, even while its read hangs; the next one waits for the threads. */
  run<T>(
    request: {
      /** What to do, once it is its turn; null where nothing is left to do. */
      readonly job: () => Omit<HashJob, 'ring'> | null
      readonly onSlots?: (slots: number) => void
      readonly signal: AbortSignal
    },
    answered: (answer: PairAnswer | null) => Outcome<T>,
  ): Promise<Outcome<T>> {
    const signal = AbortSignal.any([request.signal, this.closing])
    const result = this.#last.then(async () => {
      if (signal.aborted) return cancelled
      const job = request.job()
      if (job === null) return answered(null)
      if (this.#options.calls.isSilent(job.root)) return failed(silence(new DriveSilentError()))
      const answer = await this.#work(job, request.onSlots ?? (() => {}), signal).catch(silence)
      if (answer === null) return cancelled
      return 'kind' in answer ? failed(answer) : answered(answer)
    })
    this.#last = result.catch(() => {})
    return unlessAborted(result, signal)
  }

  forget(running: number): void {
    this.#pair?.forget(running)
  }

  async close(): Promise<void> {
    this.#closing.abort()
    clearTimeout(this.#idle)
    const ended = this.#last.then(() => this.#end())
    await Promise.race([ended, sleep(closeWithinMs, undefined, { ref: false })])
  }

  async #work(
    job: Omit<HashJob, 'ring'>,
    onSlots: (slots: number) => void,
    signal: AbortSignal,
  ): Promise<PairAnswer | null> {
    clearTimeout(this.#idle)
    this.#pair ??= startHashPair()
    const { ring, run } = this.#pair
    const { shouldYield, ownCopies = () => 0 } = this.#options
    ring.reset()
    const tell = () => {
      ring.setOwnCopies(ownCopies(job.identity.device))
      ring.setGentle(shouldYield())
    }
    tell()
    let pulse = ring.pulse()
    let still = 0
    const silent = Promise.withResolvers<never>()
    const timer = setInterval(() => {
      still = ring.pulse() === pulse ? still + 1 : 0
      pulse = ring.pulse()
      if (still >= (this.#options.silentLooks ?? silentLooks)) silent.reject(new DriveSilentError())
      tell()
      if (!signal.aborted) onSlots(Math.min(ring.filledSlots(), ring.emptiedSlots()))
    }, lookEveryMs)
    signal.addEventListener('abort', ring.stop, { once: true })
    try {
      const running = run(job)
      // The threads cannot be ended where they hang; others take their place, for other drives.
      silent.promise.catch(() => this.#options.calls.hangs(job.root, running))
      return await Promise.race([running, silent.promise])
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
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => {
      if (this.#options.isNeeded?.() === true) this.#endWhenIdle()
      else void this.#end()
    }, idleThreadsEndMs).unref()
  }

  async #end(): Promise<void> {
    const ending = this.#pair
    this.#pair = null
    this.#options.onEnded?.()
    await ending?.dispose()
  }
}

/** A drive that does not answer is the file's trouble; anything else is a bug. */
const silence = (error: unknown): Failure => {
  if (error instanceof DriveSilentError) return fileFailure(error)
  throw error
}

/** Its listener goes with the answer: a signal that is listened to is kept, and there is one for every file. */
export const unlessAborted = <T>(work: Promise<Outcome<T>>, signal: AbortSignal): Promise<Outcome<T>> =>
  new Promise((resolve, reject) => {
    const giveUp = () => resolve(cancelled)
    if (signal.aborted) giveUp()
    else signal.addEventListener('abort', giveUp, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp))
  })
