import type { Clock } from '../../ports/clock.ts'

/** The parts still to be begun, in order; one that failed comes again after its wait, while the others go on. */
export class PartQueue {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #first: number[]
  readonly #again = new Map<number, number>()

  constructor(numbers: readonly number[], clock: Pick<Clock, 'monotonicMs'>) {
    this.#first = [...numbers]
    this.#clock = clock
  }

  /** Nothing to begin, and nothing under way that could come back. */
  isEmpty(underWay: number): boolean {
    return this.#first.length === 0 && this.#again.size === 0 && underWay === 0
  }

  /** The next that may be begun now. */
  next(): number | null {
    const now = this.#clock.monotonicMs()
    for (const [number, atMs] of this.#again)
      if (atMs <= now) {
        this.#again.delete(number)
        return number
      }
    return this.#first.shift() ?? null
  }

  again(number: number, afterMs: number): void {
    this.#again.set(number, this.#clock.monotonicMs() + afterMs)
  }

  /** Until a part has come to its end, one may be begun again, or the signal. */
  async change(
    underWay: ReadonlySet<Promise<void>>,
    sleep: (ms: number, signal: AbortSignal) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    const soonestMs = Math.min(...this.#again.values()) - this.#clock.monotonicMs()
    if (!Number.isFinite(soonestMs)) {
      await Promise.race(underWay)
      return
    }
    const woken = new AbortController()
    const wait = sleep(Math.max(0, soonestMs), AbortSignal.any([signal, woken.signal]))
    await Promise.race([...underWay, wait])
    woken.abort()
  }
}
