import type { Status } from '../../../shared/status.ts'

const SHORTEST_GAP_MS = 250

/** Sends a picture only when something changed, and never more often than an eye can follow. */
export class Publisher {
  readonly #take: () => Status | null
  readonly #send: (status: Status) => void
  #timer: NodeJS.Timeout | null = null
  #last = ''

  constructor(take: () => Status | null, send: (status: Status) => void) {
    this.#take = take
    this.#send = send
  }

  changed(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      const status = this.#take()
      if (status === null) return
      // `at` always differs; everything else decides.
      const content = JSON.stringify({ ...status, at: '' })
      if (content === this.#last) return
      this.#last = content
      this.#send(status)
    }, SHORTEST_GAP_MS)
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
  }
}
