import type { SandboxClock } from './clock.ts'

/** The longest sleep: a laptop that slept, or a clock set by hand, is noticed after this at the latest. */
const longestSleepMs = 60_000
/** A full disk, say: nothing is lost, it is tried again. */
const afterFailureMs = 1_000

/**
 * Runs `work` when something is due and never twice at once. `work` answers when it wants to run next
 * (null: only when woken). A jump of the clock wakes it too.
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

  /** Resolves when work that had begun has ended. */
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
