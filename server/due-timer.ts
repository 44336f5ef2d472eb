import type { ServiceClock } from './clock.ts'

/** The longest sleep, because a timer does not notice that the PC was suspended or that its clock was set. */
const maxSleepMs = 60_000
/** The delay after a failure such as a full disk. `work` then runs again, so nothing is lost. */
const retryDelayMs = 1_000

/**
 * Runs `work` when it is due, and never starts a run before the previous run has ended. `work` returns the time of its
 * next run, or null to run only after `wake`. A run may also start earlier, so `work` must check what is due.
 */
export class DueTimer {
  readonly #clock: ServiceClock
  readonly #work: () => Promise<number | null>
  readonly #maxSleepMs: number
  readonly #isPolling: boolean
  #timeout: NodeJS.Timeout | null = null
  #running: Promise<void> | null = null
  #mustRunAgain = false
  #isStopped = false

  /** With `pollIntervalMs`, `work` also runs at this interval, because a different instance may have queued work. */
  constructor(clock: ServiceClock, work: () => Promise<number | null>, pollIntervalMs: number | null = null) {
    this.#clock = clock
    this.#work = work
    this.#isPolling = pollIntervalMs !== null
    this.#maxSleepMs = pollIntervalMs ?? maxSleepMs
    clock.onJump(() => this.wake())
  }

  get isStopped(): boolean {
    return this.#isStopped
  }

  wake(): void {
    if (this.#isStopped) return
    if (this.#running !== null) {
      this.#mustRunAgain = true
      return
    }
    if (this.#timeout !== null) clearTimeout(this.#timeout)
    this.#timeout = null
    this.#running = this.#run().finally(() => {
      this.#running = null
      if (this.#mustRunAgain) {
        this.#mustRunAgain = false
        this.wake()
      }
    })
  }

  /** Resolves when work in progress has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true
    if (this.#timeout !== null) clearTimeout(this.#timeout)
    await this.#running
  }

  async #run(): Promise<void> {
    const nextAt = await this.#work().catch(() => this.#clock.now() + retryDelayMs)
    if (this.#isStopped || (nextAt === null && !this.#isPolling)) return
    const dueInMs = nextAt === null ? this.#maxSleepMs : nextAt - this.#clock.now()
    const waitMs = Math.min(this.#maxSleepMs, Math.max(0, dueInMs))
    this.#timeout = setTimeout(() => this.wake(), waitMs)
  }
}
