import { COMMIT_RETRIES, COMMIT_RETRIES_AT_EXIT, COMMIT_RETRY_DELAY_MS } from '../domain/retry-limits.ts'

/**
 * Hard case: Another program locks the journal while Sluice works.
 * Sluice keeps the service's answers and finished hashes for up to two minutes, and writes them when the lock ends. So
 * it repeats no request, sends no part twice and reads no file again.
 */

/** A larger batch would block the event loop for too long. The remaining writes follow in the next turn. */
const MAX_BATCH_WRITES = 64

type PendingWrite = {
  readonly work: () => unknown
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

type Notify = () => void

/**
 * The minimum interval between the starts of two commits. Retries do not wait for this interval. The remaining writes
 * after a full batch do not wait for it either.
 */
export type CommitThrottle = { readonly minIntervalMs: number; readonly monotonicMs: () => number }

/**
 * Group commit: writes requested in one event-loop turn share a transaction and a flush. Callers continue only after
 * the commit, so an intent is on disk before its caller acts.
 */
export class CommitQueue {
  readonly #transaction: <T>(work: () => T) => T
  readonly #savepoint: <T>(work: () => T) => T
  readonly #isFatal: (error: unknown) => boolean
  readonly #isBusy: (error: unknown) => boolean
  readonly #throttle: CommitThrottle | null
  readonly #pending: PendingWrite[] = []
  #attempts = 0
  #maxAttempts = COMMIT_RETRIES
  #startedAtMs = Number.NEGATIVE_INFINITY

  constructor(options: {
    readonly transaction: <T>(work: () => T) => T
    /** Runs inside the transaction. If `work` throws, only its writes are rolled back. */
    readonly savepoint: <T>(work: () => T) => T
    /** Whether the error ends the whole transaction, not just one of its writes. */
    readonly isFatal: (error: unknown) => boolean
    /**
     * Whether the error means that another program holds the lock. If so, nothing was written, and a retry can succeed.
     */
    readonly isBusy: (error: unknown) => boolean
    /** Null: one commit per event-loop turn, without a minimum interval. */
    readonly throttle?: CommitThrottle | null
  }) {
    this.#transaction = options.transaction
    this.#savepoint = options.savepoint
    this.#isFatal = options.isFatal
    this.#isBusy = options.isBusy
    this.#throttle = options.throttle ?? null
  }

  /**
   * Runs `work` later. If any write of the batch throws, the batch is rolled back, and `work` may run a second time. So
   * `work` must itself read all rows that it needs.
   */
  run<T>(work: () => T): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    if (this.#pending.length === 0) this.#schedule()
    this.#pending.push({ work, resolve: resolve as (value: unknown) => void, reject })
    return promise
  }

  /**
   * Call at shutdown. From then on, the queue waits only 2 s for a locked journal, because the main process waits only
   * 5 s for the agent.
   */
  limitRetriesForShutdown(): void {
    this.#maxAttempts = COMMIT_RETRIES_AT_EXIT
  }

  /**
   * The commit starts after all callbacks of this turn, so answers from many sockets share it. With a throttle, several
   * turns share one commit.
   */
  #schedule(): void {
    const waitMs =
      this.#throttle === null
        ? 0
        : this.#startedAtMs + this.#throttle.minIntervalMs - this.#throttle.monotonicMs()
    if (waitMs > 0) setTimeout(() => this.#commit(), waitMs)
    else setImmediate(() => this.#commit())
  }

  #commit(): void {
    this.#startedAtMs = this.#throttle?.monotonicMs() ?? 0
    const batch = this.#pending.slice(0, MAX_BATCH_WRITES)
    let notifications: readonly Notify[]
    try {
      notifications = this.#write(batch)
    } catch (error) {
      this.#attempts += 1
      if (this.#isBusy(error) && this.#attempts < this.#maxAttempts) {
        setTimeout(() => this.#commit(), COMMIT_RETRY_DELAY_MS)
        return
      }
      // The whole batch was rolled back.
      notifications = batch.map(
        ({ reject }) =>
          () =>
            reject(error),
      )
    }
    this.#attempts = 0
    this.#pending.splice(0, batch.length)
    if (this.#pending.length > 0) setImmediate(() => this.#commit())
    for (const notify of notifications) notify()
  }

  /**
   * A savepoint costs as much as the write inside it, and a rollback is rare. So only the second attempt wraps each
   * write in a savepoint.
   */
  #write(batch: readonly PendingWrite[]): readonly Notify[] {
    try {
      return this.#transaction(() => batch.map(runWrite))
    } catch (error) {
      if (this.#isBusy(error) || this.#isFatal(error)) throw error
    }
    return this.#transaction(() => batch.map((write) => this.#writeInSavepoint(write)))
  }

  /** Throws only errors that end the whole transaction. */
  #writeInSavepoint(write: PendingWrite): Notify {
    try {
      return this.#savepoint(() => runWrite(write))
    } catch (error) {
      if (this.#isFatal(error)) throw error
      return () => write.reject(error)
    }
  }
}

const runWrite = ({ work, resolve }: PendingWrite): Notify => {
  const value = work()
  return () => resolve(value)
}
