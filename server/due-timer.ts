import type { ServiceClock } from './clock.ts'

/** The longest wait. After it, the timer notices that the PC slept or that its clock was set. */
const longestSleepMs = 60_000
/** Retry delay after a failure such as a full disk. Nothing is lost. */
const afterFailureMs = 1_000

/**
 * Runs `work` when it is due, never twice at once. `work` returns the time of its next run, or null to run only when woken.
 * A jump of the clock also wakes it.
 */
export class DueTimer {
  readonly #clock: ServiceClock
  readonly #work: () => Promise<number | null>
  readonly #longestSleepMs: number
  readonly #polls: boolean
  #timeout: NodeJS.Timeout | null = null
  #running: Promise<void> | null = null
  #again = false
  #stopped = false

  /** With `pollEveryMs`, `work` also runs at this interval, because a different instance may have left work. */
  constructor(clock: ServiceClock, work: () => Promise<number | null>, pollEveryMs: number | null = null) {
    this.#clock = clock
    this.#work = work
    this.#polls = pollEveryMs !== null
    this.#longestSleepMs = pollEveryMs ?? longestSleepMs
    clock.onJump(() => this.wake())
  }

  get stopped(): boolean {
    return this.#stopped
  }

  wake(): void {
    if (this.#stopped) return
    if (this.#running !== null) {
      this.#again = true
      return
    }
    if (this.#timeout !== null) clearTimeout(this.#timeout)
    this.#timeout = null
    this.#running = this.#run().finally(() => {
      this.#running = null
      if (this.#again) {
        this.#again = false
        this.wake()
      }
    })
  }

  /** Resolves when work in progress has ended. */
  async stop(): Promise<void> {
    this.#stopped = true
    if (this.#timeout !== null) clearTimeout(this.#timeout)
    await this.#running
  }

  async #run(): Promise<void> {
    const nextAt = await this.#work().catch(() => this.#clock.now() + afterFailureMs)
    if (this.#stopped || (nextAt === null && !this.#polls)) return
    const dueInMs = nextAt === null ? this.#longestSleepMs : nextAt - this.#clock.now()
    const waitMs = Math.min(this.#longestSleepMs, Math.max(0, dueInMs))
    this.#timeout = setTimeout(() => this.wake(), waitMs)
  }
}
