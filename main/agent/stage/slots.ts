import type { Clock } from '../ports/clock.ts'

/** After a slow-down, the limit grows by one slot each time this interval passes. */
const GROW_AFTER_MS = 30_000

export type Slot = {
  readonly release: () => void
  /**
   * Call this when the storage asks Sluice to slow down. Has no effect for a part that started before the last
   * slow-down, so that several refusals together halve the limit only once.
   */
  readonly slowDown: () => void
}

type Waiter = { readonly prioritised: boolean; readonly admit: () => void }

/**
 * Limits the parts in flight of all recordings together. Prioritised recordings come first. If the storage asks Sluice
 * to slow down, the limit is halved, and then grows by one slot at a time.
 */
export class Slots {
  readonly #clock: Clock
  readonly #maxSlots: () => number
  readonly #waiting: Waiter[] = []
  #inUse = 0
  #limit = Number.POSITIVE_INFINITY
  #changedAtMs = 0
  #round = 0

  constructor(clock: Clock, maxSlots: () => number) {
    this.#clock = clock
    this.#maxSlots = maxSlots
  }

  /** Takes a slot, or waits for one. Null if the signal aborts first. */
  async take(prioritised: boolean, signal: AbortSignal): Promise<Slot | null> {
    if (signal.aborted) return null
    if (this.#waiting.length > 0 || this.#inUse >= this.#currentLimit()) {
      const isAdmitted = await new Promise<boolean>((resolve) => {
        const waiter: Waiter = {
          prioritised,
          admit: () => {
            signal.removeEventListener('abort', leave)
            resolve(true)
          },
        }
        const leave = () => {
          this.#waiting.splice(this.#waiting.indexOf(waiter), 1)
          resolve(false)
        }
        signal.addEventListener('abort', leave, { once: true })
        this.#waiting.push(waiter)
        // The limit may have grown. Recordings that wait longer come first.
        this.#admitWaiting()
      })
      if (!isAdmitted) return null
    } else this.#inUse += 1
    const round = this.#round
    return {
      release: () => this.#releaseSlot(),
      slowDown: () => {
        if (round === this.#round) this.#halve()
      },
    }
  }

  #halve(): void {
    this.#round += 1
    this.#limit = Math.max(1, Math.floor(this.#currentLimit() / 2))
    this.#changedAtMs = this.#clock.monotonicMs()
  }

  #currentLimit(): number {
    const sinceMs = this.#clock.monotonicMs() - this.#changedAtMs
    if (this.#limit < this.#maxSlots() && sinceMs >= GROW_AFTER_MS) {
      this.#limit += 1
      this.#changedAtMs = this.#clock.monotonicMs()
    }
    return Math.min(this.#limit, this.#maxSlots())
  }

  #releaseSlot(): void {
    this.#inUse -= 1
    this.#admitWaiting()
  }

  #admitWaiting(): void {
    while (this.#inUse < this.#currentLimit() && this.#waiting.length > 0) {
      const prioritisedIndex = this.#waiting.findIndex((waiter) => waiter.prioritised)
      const [waiter] = this.#waiting.splice(Math.max(prioritisedIndex, 0), 1)
      this.#inUse += 1
      waiter?.admit()
    }
  }
}
