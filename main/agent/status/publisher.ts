import type { Status } from '../../../shared/status/status.ts'

const MIN_INTERVAL_MS = 250

/** Sends a status only when something changed, and at most four times a second. */
export class Publisher {
  readonly #takeStatus: () => Status | null
  readonly #send: (status: Status) => void
  #timer: NodeJS.Timeout | null = null
  #takenAtMs = Number.NEGATIVE_INFINITY
  #lastContent = ''

  constructor(takeStatus: () => Status | null, send: (status: Status) => void) {
    this.#takeStatus = takeStatus
    this.#send = send
  }

  /** Call after a change. After a quiet time, sends the first change at once. Combines the following changes. */
  changed(): void {
    const delayMs = MIN_INTERVAL_MS - (performance.now() - this.#takenAtMs)
    this.#timer ??= setTimeout(() => this.#publish(), Math.max(0, delayMs))
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
  }

  #publish(): void {
    this.#timer = null
    const status = this.#takeStatus()
    // `at` differs in every status, so compare everything else.
    const content = status === null ? this.#lastContent : JSON.stringify({ ...status, at: '' })
    if (status !== null && content !== this.#lastContent) this.#send(status)
    this.#lastContent = content
    // Start the interval at the end of a snapshot, so that there is a pause even between slow snapshots.
    this.#takenAtMs = performance.now()
  }
}
