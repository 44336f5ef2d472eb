import type { SandboxClock } from './clock.ts'

/** The longest wait: after it, the timer notices that the PC slept or that its clock was set. */
const longestSleepMs = 60_000
/** Retry delay, for example after a full disk. Nothing is lost. */
const afterFailureMs = 1_000

/**
 * Runs `work` when something is due, never twice at once. `work` returns the time of its next run, or null to run only when
 * woken. A jump of the clock also wakes it.
 */
export class DueTimer {
  readonly #clock: SandboxClock
  readonly #work: () => Promise<number | null>
  #timeout: NodeJS.Timeout | null = null
  #running: Promise<void> | null = null
  #again = false
  #stopped = false

  constructor(clock: SandboxClock, work: () => Promise<number | null>) {
    this.#clock = clock
    this.#work = work
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
    if (nextAt === null || this.#stopped) return
    const waitMs = Math.min(longestSleepMs, Math.max(0, nextAt - this.#clock.now()))
    this.#timeout = setTimeout(() => this.wake(), waitMs)
  }
}
