import type { Sent } from '../domain/sending-rate.ts'
import type { Journal } from '../journal/journal.ts'
import type { Clock } from '../ports/clock.ts'

/**
 * The recent upload speed is the average over this time: long enough to smooth bursts, short enough to follow changes.
 */
const RECENT_MS = 30 * 60_000
/** How often Sluice saves a sample while it sends but nothing arrives at the storage. */
const SAVE_INTERVAL_S = 10
/** A longer interval between two measurements means that the PC slept. */
const MAX_INTERVAL_S = 5

type Sample = { readonly atMs: number; readonly bytes: number; readonly seconds: number }

/** Measures the upload speed while there is something to send, and saves it in the journal. */
export class UploadMeter {
  readonly #journal: Journal
  readonly #clock: Clock
  #samples: Sample[] = []
  #limitBytesPerSecond: number | null = null
  #measuredAtMs: number
  #unsaved = { bytes: 0, seconds: 0 }

  constructor(journal: Journal, clock: Clock) {
    this.#journal = journal
    this.#clock = clock
    this.#measuredAtMs = clock.monotonicMs()
  }

  /**
   * Call this each second, even while the journal cannot be written. `bytes`: the bytes sent since the last call.
   * `isSending`: true if only the connection or the speed limit slowed the upload.
   */
  measure(bytes: number, isSending: boolean, limitBytesPerSecond: number | null): void {
    const nowMs = this.#clock.monotonicMs()
    const elapsedS = Math.min((nowMs - this.#measuredAtMs) / 1000, MAX_INTERVAL_S)
    this.#measuredAtMs = nowMs
    this.#limitBytesPerSecond = limitBytesPerSecond
    const seconds = isSending || bytes > 0 ? elapsedS : 0
    this.#unsaved = { bytes: this.#unsaved.bytes + bytes, seconds: this.#unsaved.seconds + seconds }
  }

  recent(): Sent {
    const sinceMs = this.#clock.monotonicMs() - RECENT_MS
    this.#samples = this.#samples.filter(({ atMs }) => atMs > sinceMs)
    const sum = (numberOf: (sample: Sample) => number) =>
      this.#samples.reduce((all, sample) => all + numberOf(sample), 0)
    return {
      bytes: sum(({ bytes }) => bytes),
      seconds: sum(({ seconds }) => seconds),
      limitBytesPerSecond: this.#limitBytesPerSecond,
    }
  }

  /**
   * Writes in one transaction, so that a second of sending costs one disk write. If the journal refuses the write, the
   * next call writes the same bytes and seconds.
   */
  save(): void {
    const { bytes, seconds } = this.#unsaved
    if (bytes === 0 && seconds < SAVE_INTERVAL_S) return
    const nowMs = this.#clock.monotonicMs()
    this.#journal.transaction(() => {
      if (bytes > 0) this.#journal.rates.countBytes(bytes)
      this.#journal.rates.addSent({ bytes, seconds, limitBytesPerSecond: this.#limitBytesPerSecond })
    })
    this.#unsaved = { bytes: 0, seconds: 0 }
    const last = this.#samples.at(-1)
    // One sample per ten seconds is enough.
    if (last !== undefined && nowMs - last.atMs < SAVE_INTERVAL_S * 1000)
      this.#samples[this.#samples.length - 1] = {
        atMs: last.atMs,
        bytes: last.bytes + bytes,
        seconds: last.seconds + seconds,
      }
    else this.#samples.push({ atMs: nowMs, bytes, seconds })
  }
}
