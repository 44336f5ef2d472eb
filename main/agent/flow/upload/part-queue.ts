import type { Clock } from '../../ports/clock.ts'

/**
 * Hard case: The connection of one part breaks.
 * The uploader retries that part, and the other parts continue. Three failures in a row, or no connection at all, raise
 * the storage condition. One part then probes the storage.
 */

/** Parts to send, in order. A failed part waits for its retry while the other parts continue. */
export class PartQueue {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #pending: number[]
  /** Time of the next attempt, by part number. */
  readonly #retries = new Map<number, number>()

  constructor(numbers: readonly number[], clock: Pick<Clock, 'monotonicMs'>) {
    this.#pending = [...numbers]
    this.#clock = clock
  }

  /** False while a part is in flight, because the part may fail and be queued again. */
  isEmpty(inFlight: number): boolean {
    return this.#pending.length === 0 && this.#retries.size === 0 && inFlight === 0
  }

  /** The next part that may be sent now. */
  next(): number | null {
    const nowMs = this.#clock.monotonicMs()
    for (const [number, atMs] of this.#retries)
      if (atMs <= nowMs) {
        this.#retries.delete(number)
        return number
      }
    return this.#pending.shift() ?? null
  }

  retry(number: number, afterMs: number): void {
    this.#retries.set(number, this.#clock.monotonicMs() + afterMs)
  }

  /** Resolves when a part in flight ends or a retry is due. */
  async waitForChange(
    inFlight: ReadonlySet<Promise<void>>,
    sleep: (ms: number, signal: AbortSignal) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    const soonestMs = Math.min(...this.#retries.values()) - this.#clock.monotonicMs()
    if (!Number.isFinite(soonestMs)) {
      await Promise.race(inFlight)
      return
    }
    const stopWaiting = new AbortController()
    const wait = sleep(Math.max(0, soonestMs), AbortSignal.any([signal, stopWaiting.signal]))
    await Promise.race([...inFlight, wait])
    stopWaiting.abort()
  }
}
