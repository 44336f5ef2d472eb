import type { Status } from '../../../shared/status/status.ts'

const SHORTEST_GAP_MS = 250

/** Sends a picture only when something changed, and never more often than an eye can follow. */
export class Publisher {
  readonly #take: () => Status | null
  readonly #send: (status: Status) => void
  #timer: NodeJS.Timeout | null = null
  #takenAtMs = Number.NEGATIVE_INFINITY
  #last = ''

  constructor(take: () => Status | null, send: (status: Status) => void) {
    this.#take = take
    this.#send = send
  }

  /** What comes after a while of quiet is sent at once, what follows it together. */
  changed(): void {
    const gapMs = SHORTEST_GAP_MS - (performance.now() - this.#takenAtMs)
    this.#timer ??= setTimeout(() => this.#publish(), Math.max(0, gapMs))
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
  }

  #publish(): void {
    this.#timer = null
    const status = this.#take()
    // `at` always differs; everything else decides.
    const content = status === null ? this.#last : JSON.stringify({ ...status, at: '' })
    if (status !== null && content !== this.#last) this.#send(status)
    this.#last = content
    // From its end: where a picture takes long, there is still a gap.
    this.#takenAtMs = performance.now()
  }
}
