import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from './ports.ts'

/** Half a second of the rate may go at once: smooth enough for a link, coarse enough for the event loop. */
const BURST_SECONDS = 0.5

/** One bucket for the whole station. The limit is asked for at each chunk, so a change takes effect at once. */
export class Bandwidth {
  readonly #clock: Clock
  readonly #limitMbitPerS: () => number | null
  #allowance = 0
  #atMs: number

  constructor(clock: Clock, limitMbitPerS: () => number | null) {
    this.#clock = clock
    this.#limitMbitPerS = limitMbitPerS
    this.#atMs = clock.monotonicMs()
  }

  async take(bytes: number, signal: AbortSignal): Promise<void> {
    const limit = this.#limitMbitPerS()
    if (limit === null) return
    const bytesPerMs = (limit * 1_000_000) / 8 / 1000
    const now = this.#clock.monotonicMs()
    const refilled = this.#allowance + (now - this.#atMs) * bytesPerMs
    this.#allowance = Math.min(refilled, BURST_SECONDS * 1000 * bytesPerMs) - bytes
    this.#atMs = now
    // Going into debt keeps the order of the callers and lets a chunk be larger than the bucket.
    if (this.#allowance < 0) await sleep(-this.#allowance / bytesPerMs, undefined, { signal }).catch(() => {})
  }
}
